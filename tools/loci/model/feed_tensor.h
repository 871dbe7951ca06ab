// Tensors from --feed arguments.
#pragma once

#include <cstdint>
#include <loci/program.hpp>
#include <loci/tensor.hpp>
#include <string>

#include "tools/loci/model/feed_spec.h"

namespace loci::runner {

// The dtype and the shape of tensors that a variable takes.
struct Target {
  std::string name;
  DType dtype = DType::kNone;
  Shape shape;
};

Target target_of(const Variable& variable);
// "float32[-1, 1, 8, 8]".
std::string type_text(DType dtype, const Shape& shape);

// `shape` with 1 for each unknown extent.
Shape with_ones(const Shape& shape);

// The tensor that a --feed argument describes, on the host. Random elements depend on the seed and
// the variable's name alone. Throws Failure: kUsage for a number or shape that does not fit,
// kBadInput for a file that does not, kFailed if there is no memory for it.
Tensor feed_tensor(const FeedSpec& spec, const Target& target, std::uint64_t seed);

}  // namespace loci::runner
