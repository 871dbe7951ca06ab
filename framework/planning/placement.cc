#include "framework/planning/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/context.h"
#include "framework/core/listed.h"
#include "framework/core/log.h"
#include "framework/device/device_manager.h"
#include "framework/dispatch/fallback_notes.h"
#include "framework/program/guard_text.h"

namespace loci::planning {
namespace {

using execution::PlaceReason;

constexpr std::size_t kTopReasons = 3;

}  // namespace

void FallbackLog::add(const std::string& type, const Place& place, const std::string& why) {
  for (Entry& entry : entries_) {
    if (entry.type == type && entry.place == place && entry.why == why) {
      ++entry.count;
      return;
    }
  }
  entries_.push_back({type, place, why, 1});
}

void FallbackLog::add(const FallbackLog& other) {
  for (const Entry& entry : other.entries_) {
    for (std::int64_t i = 0; i < entry.count; ++i) add(entry.type, entry.place, entry.why);
  }
}

void FallbackLog::warn(std::uint64_t caller) const {
  std::map<std::string, std::vector<Entry>> untold;  // by place
  std::set<std::pair<std::string, std::string>> types;
  auto& notes = core::in_context<dispatch::FallbackNotes>();
  for (const Entry& entry : entries_) {
    const std::string place = entry.place.to_string();
    if (notes.is_first(caller, entry.type, entry.place)) types.emplace(place, entry.type);
    if (types.count({place, entry.type}) > 0) untold[place].push_back(entry);
  }
  for (auto& [place, entries] : untold) warn(place, std::move(entries));
}

void FallbackLog::warn(const std::string& place, std::vector<Entry> sorted) {
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Entry& a, const Entry& b) { return a.count > b.count; });
  std::int64_t total = 0;
  std::vector<std::string> reasons;
  for (const Entry& entry : sorted) {
    total += entry.count;
    reasons.push_back(fmt::format("{} x {} ({})", entry.count, entry.type, entry.why));
  }
  core::log(core::Module::kExecutor, core::Level::kWarn,
            "{} operators have no kernel at {} and run on the CPU: {}", total, place,
            core::listed(reasons, kTopReasons, "; "));
}

PlaceReason request_reason(const program::Operator& op) {
  if (op.guard.empty()) return PlaceReason::kDefault;
  const bool is_guarded = program::standing_of(op.guard) == program::Standing::kGuarded;
  return is_guarded ? PlaceReason::kUserGuard : PlaceReason::kInputs;
}

device::Device& requested_device(const program::Operator& op, device::Device& preferred) {
  if (op.guard.empty()) return preferred;
  auto& devices = device::DeviceManager::instance();
  return devices.get(devices.resolve(program::guarded_place(op.guard), preferred.place()));
}

Placement place_operator(const program::Operator& op, const dispatch::OpDesc& desc,
                         const PlacementPolicy& policy, dispatch::KernelCache* kernels,
                         FallbackLog* fallbacks) {
  const PlaceReason reason = request_reason(op);
  const dispatch::PlacementRequest request{&requested_device(op, *policy.preferred),
                                           reason == PlaceReason::kUserGuard, policy.fallback};
  dispatch::BoundOp bound = dispatch::bind_op(desc, op.name, request, kernels);
  Placement placement{bound.device, reason, std::move(bound.refusals), std::move(bound.binding)};
  if (placement.detail.empty()) return placement;
  placement.reason = PlaceReason::kNoKernel;
  if (policy.fallback == FallbackPolicy::kWarn) {
    fallbacks->add(op.type(), request.device->place(), placement.detail);
  }
  return placement;
}

}  // namespace loci::planning
