#include "framework/compile/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "framework/core/listed.h"
#include "framework/core/log.h"
#include "framework/device/device_manager.h"

namespace loci::runtime {
namespace {

constexpr std::size_t kTopReasons = 3;

}  // namespace

void FallbackLog::add(const std::string& type, const std::string& why) {
  for (Entry& entry : entries_) {
    if (entry.type == type && entry.why == why) {
      ++entry.count;
      return;
    }
  }
  entries_.push_back({type, why, 1});
}

void FallbackLog::warn(const Place& place) const {
  if (entries_.empty()) return;
  std::vector<Entry> sorted = entries_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Entry& a, const Entry& b) { return a.count > b.count; });
  std::int64_t total = 0;
  std::vector<std::string> reasons;
  for (const Entry& entry : sorted) {
    total += entry.count;
    reasons.push_back(fmt::format("{} x {} ({})", entry.count, entry.type, entry.why));
  }
  core::log(core::Module::kExecutor, core::Level::kWarn,
            "{} operators have no kernel at {} and run on the CPU: {}", total, place.to_string(),
            core::listed(reasons, kTopReasons, "; "));
}

device::Device& wished_device(const program::Operator& op, device::Device& preferred) {
  if (op.guard.empty()) return preferred;
  auto& devices = device::DeviceManager::instance();
  return devices.get(devices.resolve(Place(op.guard), preferred.place()));
}

Placement place_operator(const program::Operator& op, const dispatch::OpDesc& desc,
                         const PlacementPolicy& policy, dispatch::KernelCache* kernels,
                         FallbackLog* fallbacks) {
  const dispatch::Wish wish{&wished_device(op, *policy.preferred), !op.guard.empty(),
                            policy.fallback};
  dispatch::BoundOp bound = dispatch::bind_op(desc, op.name, wish, kernels);
  Placement placement{bound.device, PlaceReason::kDefault, std::move(bound.refusals),
                      std::move(bound.binding)};
  if (wish.is_guarded) placement.reason = PlaceReason::kUserGuard;
  if (placement.detail.empty()) return placement;
  placement.reason = PlaceReason::kNoKernel;
  if (policy.fallback == FallbackPolicy::kWarn) fallbacks->add(op.type(), placement.detail);
  return placement;
}

}  // namespace loci::runtime
