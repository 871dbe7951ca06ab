// Where an op runs, and with which kernel.
#pragma once

#include <loci/fallback.hpp>
#include <string>
#include <string_view>

#include "framework/dispatch/binding.h"

namespace loci::dispatch {

// Where an op was asked to run, and whether the CPU may stand in for that device.
struct PlacementRequest {
  device::Device* device = nullptr;
  bool is_guarded = false;  // asked for this very op: nothing stands in
  FallbackPolicy policy = FallbackPolicy::kWarn;
};

struct BoundOp {
  device::Device* device = nullptr;
  Binding binding;
  std::string refusals;  // of the device that was asked for, where the CPU stands in; else empty
  [[nodiscard]] bool fell_back() const { return !refusals.empty(); }
};

// Programs and imperative code bind by this. `name` is the operator's, empty in imperative code.
// Whoever has the policy kWarn says it. Throws Error(kUnsupported) where no kernel takes it,
// Error(kPolicy) where the CPU could and the policy forbids it, and what bind_kernel() throws.
BoundOp bind_op(const OpDesc& op, std::string_view name, const PlacementRequest& request,
                KernelCache* cache);

// Throws Error(kUnsupported): a device guard puts it where there is no kernel for it.
[[noreturn]] void refuse_guarded(std::string_view op, std::string_view name, const Place& place,
                                 std::string_view refusals);
// Throws Error(kPolicy): what would fall back for these reasons must not.
[[noreturn]] void forbid_fallback(std::string_view op, std::string_view name, const Place& place,
                                  std::string_view refusals);

}  // namespace loci::dispatch
