#include "framework/dispatch/bound_op.h"

#include <fmt/format.h>

#include "framework/core/abi/error.h"
#include "framework/core/raise.h"
#include "framework/device/device_manager.h"

namespace loci::dispatch {
namespace {

constexpr std::string_view kChange = "use other dtypes or shapes, or add a plugin that has one";

// "[relu] relu_0", or "[relu]" without a name.
std::string titled(std::string_view op, std::string_view name) {
  return name.empty() ? fmt::format("[{}]", op) : fmt::format("[{}] {}", op, name);
}

[[noreturn]] void no_kernel(const std::string& title, const Place& place, std::string_view refusals,
                            std::string_view remedy) {
  core::raise(ErrorCode::kUnsupported, "{} has no kernel at {} ({}); {}", title, place.to_string(),
              refusals, remedy);
}

}  // namespace

void refuse_guarded(std::string_view op, std::string_view name, const Place& place,
                    std::string_view refusals) {
  no_kernel(titled(op, name), place, refusals,
            "change or remove the device guard that puts it there");
}

void forbid_fallback(std::string_view op, std::string_view name, const Place& place,
                     std::string_view refusals) {
  core::raise(ErrorCode::kPolicy,
              "{} has no kernel at {} ({}) and the policy forbids the CPU; allow the fallback, or "
              "put it there with a device guard",
              titled(op, name), place.to_string(), refusals);
}

BoundOp bind_op(const OpDesc& op, std::string_view name, const PlacementRequest& request,
                KernelCache* cache) {
  BoundOp bound{request.device, bind_kernel(*request.device, op, cache), {}};
  if (bound.binding.found()) return bound;
  const std::string_view type = core::from_abi(op.abi().op);
  const std::string title = titled(type, name);
  const Place place = request.device->place();
  const Place host;
  std::string refusals = std::move(bound.binding.refusals);
  if (request.is_guarded) refuse_guarded(type, name, place, refusals);
  if (place == host) no_kernel(title, place, refusals, kChange);
  if (request.policy == FallbackPolicy::kError) forbid_fallback(type, name, place, refusals);
  bound.device = &device::DeviceManager::instance().get(host);
  bound.binding = bind_kernel(*bound.device, op, cache);
  if (!bound.binding.found()) {
    no_kernel(title, place,
              fmt::format("{}) and none at cpu ({}", refusals, bound.binding.refusals), kChange);
  }
  bound.refusals = std::move(refusals);
  return bound;
}

}  // namespace loci::dispatch
