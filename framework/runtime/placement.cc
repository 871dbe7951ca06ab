#include "framework/runtime/placement.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/device/device_manager.h"

namespace loci::runtime {
namespace {

constexpr std::size_t kTopReasons = 3;

[[noreturn]] void no_kernel(const program::Operator& op, const Place& place,
                            const std::string& refusals, std::string_view remedy) {
  core::raise(ErrorCode::kUnsupported, "[{}] {} has no kernel at {} ({}); {}", op.type(), op.name,
              place.to_string(), refusals, remedy);
}

Placement place_guarded(const program::Operator& op, const OpDesc& desc,
                        device::Device& preferred) {
  auto& devices = device::DeviceManager::instance();
  Placement placement;
  placement.device = &devices.get(devices.resolve(Place(op.guard), preferred.place()));
  placement.reason = PlaceReason::kUserGuard;
  placement.kernel = choose_kernel(*placement.device, desc);
  if (!placement.kernel.found()) {
    no_kernel(op, placement.device->place(), placement.kernel.refusals,
              "change or remove the device guard that puts it there");
  }
  return placement;
}

}  // namespace

std::string_view place_reason_name(PlaceReason reason) {
  switch (reason) {
    case PlaceReason::kDefault: return "default";
    case PlaceReason::kUserGuard: return "user_guard";
    case PlaceReason::kNoKernel: return "no_kernel";
    case PlaceReason::kSmallerCopy: return "smaller_copy";
  }
  return "unknown";
}

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
  std::string reasons;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    total += sorted[i].count;
    if (i >= kTopReasons) continue;
    reasons += fmt::format("{}{} x {} ({})", i == 0 ? "" : "; ", sorted[i].count, sorted[i].type,
                           sorted[i].why);
  }
  core::log(core::Module::kExecutor, core::Level::kWarn,
            "{} operators have no kernel at {} and run on the CPU: {}{}", total, place.to_string(),
            reasons, sorted.size() > kTopReasons ? "; ..." : "");
}

Placement place_operator(const program::Operator& op, const OpDesc& desc, device::Device& preferred,
                         FallbackPolicy policy, FallbackLog* fallbacks) {
  if (!op.guard.empty()) return place_guarded(op, desc, preferred);
  Placement placement;
  placement.device = &preferred;
  placement.kernel = choose_kernel(preferred, desc);
  if (placement.kernel.found()) return placement;

  const std::string refusals = placement.kernel.refusals;
  const Place host;
  if (preferred.place() == host) {
    no_kernel(op, host, refusals, "use other dtypes or shapes, or add a plugin that has one");
  }
  if (policy == FallbackPolicy::kError) {
    core::raise(ErrorCode::kPolicy,
                "[{}] {} has no kernel at {} ({}) and the policy forbids the CPU; allow the "
                "fallback, or put it there with a device guard",
                op.type(), op.name, preferred.place().to_string(), refusals);
  }
  placement.device = &device::DeviceManager::instance().get(host);
  placement.reason = PlaceReason::kNoKernel;
  placement.detail = refusals;
  placement.kernel = choose_kernel(*placement.device, desc);
  if (!placement.kernel.found()) {
    no_kernel(op, preferred.place(), refusals + "; " + placement.kernel.refusals,
              "use other dtypes or shapes, or add a plugin that has one");
  }
  if (policy == FallbackPolicy::kWarn) fallbacks->add(op.type(), refusals);
  return placement;
}

}  // namespace loci::runtime
