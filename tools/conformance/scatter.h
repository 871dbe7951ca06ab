// The references of ops that write updates to places of a tensor, whichever way the places are
// named.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/conformance/case.h"

namespace loci::conformance {

inline constexpr std::string_view kReductions[] = {"none", "add", "mul", "max", "min"};

// The offset in the tensor that the element at an offset in the updates is written to.
using Destination = std::function<std::size_t(std::size_t)>;

// x with the updates, one after the other. Sums and products of floating elements have a slack.
Expected scattered(const Array& x, const Array& updates, const std::string& reduction,
                   const Destination& to);

// Gives the gradient of updates of which the last one of each element stays.
Expected gradient_of_last(const Array& out_grad, const Shape& updates, const Destination& to);

// Values of which a few make sums and products that the dtype holds, or wrap as the reference's do.
Generator scatter_values(DType dtype, const std::string& reduction);

// Gives those of the inputs x, index and updates that have a gradient with that reduction.
std::vector<std::size_t> differentiable(const std::string& reduction);

// Positions along a dimension, from its end too.
Generator positions(std::int64_t extent);

// One of them, from the start.
std::int64_t position_at(const Array& index, std::size_t offset, std::int64_t extent);

}  // namespace loci::conformance
