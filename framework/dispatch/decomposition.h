// An op written in others, where its device has no kernel of it.
#pragma once

#include <cstdint>
#include <loci/attribute.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/device/device.h"
#include "framework/dispatch/kernel_cache.h"
#include "framework/dispatch/op_desc.h"
#include "framework/ops/call_list.h"
#include "framework/ops/decompose_context.h"

namespace loci::dispatch {

// An operator and the types of its arguments, whose extents are known. Refers to all three.
struct TypedOperator {
  const ops::OpSchema& schema;
  const Attributes& attributes;  // complete
  ops::TypeSlots inputs;         // by slot; an absent optional one has none
  ops::TypeSlots outputs;
  // True for each input, in the slots of `inputs`, that is constant, see ArgumentType. Empty: none.
  std::vector<std::vector<bool>> constants = {};
};

struct Decomposition {
  // Values by number: the operator's inputs, slot after slot, and then what the calls make.
  std::vector<ops::ListedCall> calls;
  std::vector<ops::TensorType> types;              // by number
  std::vector<std::vector<std::int32_t>> outputs;  // by slot of the operator: numbers
  std::string refusals;  // why the device has no kernel of the operator itself
};

// Nothing where the device has a kernel that takes the operator, where the schema has no
// decomposition of it, or where the device has no kernel for an operator of the decomposition, and
// that cannot be decomposed there either. Throws Error(kInternal) for a decomposition that breaks a
// rule, and what bind_kernel() throws. `own` is given the device's kernel, if there is one.
std::optional<Decomposition> decompose(const TypedOperator& op, device::Device& device,
                                       KernelCache* cache, Binding* own = nullptr);

// The operator as its kernels see it.
OpDesc describe(const TypedOperator& op);

}  // namespace loci::dispatch
