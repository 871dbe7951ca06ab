#include "tools/loci/model/feed_tensor.h"

#include <fmt/format.h>

#include "tools/loci/failure.h"
#include "tools/loci/model/literal.h"
#include "tools/loci/model/random_tensor.h"
#include "tools/loci/shown.h"

namespace loci::runner {
namespace {

bool fits(const Shape& shape, const Shape& wanted) {
  if (shape.rank() != wanted.rank()) return false;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (wanted[axis] != kDynamicDim && wanted[axis] != shape[axis]) return false;
  }
  return true;
}

std::string extents_hint(const Shape& wanted) {
  return wanted.is_static() ? "" : " (-1: any extent)";
}

Tensor from_file(const ArrayFile& file, const Target& target) {
  const Tensor tensor = in_phase(Phase::kModel, [&] { return load_array(file); });
  const std::string both = fmt::format(
      "[--feed] {}: '{}' holds {}, but the model takes {}", shown_name(target.name), file.text(),
      type_text(tensor.dtype(), tensor.shape()), type_text(target.dtype, target.shape));
  if (tensor.dtype() != target.dtype) {
    throw Failure(ExitCode::kBadInput,
                  fmt::format("{}; save it as {}: numpy.save(file, array.astype('{}'))", both,
                              dtype_name(target.dtype), dtype_name(target.dtype)));
  }
  if (!fits(tensor.shape(), target.shape)) {
    throw Failure(ExitCode::kBadInput,
                  fmt::format("{}{}; reshape it", both, extents_hint(target.shape)));
  }
  return tensor;
}

Shape random_shape(const FeedRandom& random, const Target& target) {
  if (!random.shape) {
    if (target.shape.is_static()) return target.shape;
    throw Failure(ExitCode::kUsage,
                  fmt::format("[--feed] {} has unknown extents, {}; give the shape: {}=random:{}",
                              shown_name(target.name), type_text(target.dtype, target.shape),
                              shown_name(target.name), fmt::join(with_ones(target.shape), "x")));
  }
  if (!fits(*random.shape, target.shape)) {
    throw Failure(ExitCode::kUsage,
                  fmt::format("[--feed] {}: the shape {} does not fit {}{}; write {}=random:{}",
                              shown_name(target.name), random.shape->to_string(),
                              type_text(target.dtype, target.shape), extents_hint(target.shape),
                              shown_name(target.name), fmt::join(with_ones(target.shape), "x")));
  }
  return *random.shape;
}

Tensor from_random(const FeedRandom& random, const Target& target, std::uint64_t seed) {
  const bool floating = is_floating(target.dtype);
  return random_tensor(random_shape(random, target), target.dtype, random.low.value_or(0),
                       random.high.value_or(floating ? 1 : 2), {seed, target.name});
}

Tensor make_tensor(const FeedSpec& spec, const Target& target, std::uint64_t seed) {
  if (const auto* file = std::get_if<FeedFile>(&spec.source)) return from_file(file->file, target);
  if (const auto* random = std::get_if<FeedRandom>(&spec.source)) {
    return from_random(*random, target, seed);
  }
  const std::string& text = std::get<FeedValue>(spec.source).text;
  return filled_tensor(text, with_ones(target.shape), target.dtype, target.name);
}

}  // namespace

Target target_of(const Variable& variable) {
  return {variable.name(), variable.dtype(), variable.shape()};
}

std::string type_text(DType dtype, const Shape& shape) {
  return std::string(dtype_name(dtype)) + shape.to_string();
}

Shape with_ones(const Shape& shape) {
  Shape result = shape;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == kDynamicDim) result.set(axis, 1);
  }
  return result;
}

Tensor feed_tensor(const FeedSpec& spec, const Target& target, std::uint64_t seed) {
  return in_phase(Phase::kOptions, [&] {
    try {
      return make_tensor(spec, target, seed);
    } catch (const Error& error) {
      throw error.within("[--feed] " + shown_name(target.name));
    }
  });
}

}  // namespace loci::runner
