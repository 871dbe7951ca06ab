// Ops that write updates to places of a tensor share this, whichever way they name the places.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "framework/ops/grad_context.h"
#include "framework/ops/infer_context.h"
#include "framework/ops/op_schema.h"

namespace loci::ops {

// The reduction that leaves the last update of each element.
inline constexpr const char* kReplace = "none";

// A schema with x, index, updates, the reduction and its cost, to which the op adds what names the
// places, its inference and its gradient.
[[nodiscard]] OpSchema scatter_schema(std::string name);

// Fails unless `updates` has the shape and the dtype to be written to x by the op's reduction, and
// infers that the result is like x.
void infer_scatter(InferContext& ctx, const Shape& updates, std::string_view meaning);

// The ops of one way to name places, with the index of the operator at hand.
struct PlaceCalls {
  // x with the updates, by a reduction.
  std::function<Value(const Value& x, const Value& updates, const std::string& reduction)> scatter;
  // The elements of x at the places.
  std::function<Value(const Value& x)> gather;
  // Gathers zeros instead at places that occur again further on.
  std::function<Value(const Value& x)> gather_last;
};

// Throws Error(kUnsupported) where the updates of a product need a gradient.
void grad_of_scatter(GradContext& ctx, const PlaceCalls& calls);

// The ops that it may emit besides those of the calls, and those.
[[nodiscard]] std::vector<std::string> scatter_gradient_ops(const std::string& gather,
                                                            const std::string& scatter);

}  // namespace loci::ops
