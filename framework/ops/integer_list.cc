#include "framework/ops/integer_list.h"

#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

template <class T>
std::vector<std::int64_t> widened(const Tensor& tensor) {
  const T* data = tensor.data<T>();
  return {data, data + tensor.numel()};
}

void check_list(const InferContext& ctx, std::string_view slot) {
  const Shape& shape = ctx.shape(slot);
  if (shape.rank() != 1) {
    ctx.fail("{} has {} dimensions; give a list, of one dimension", slot, shape.rank());
  }
  if (shape[0] == kDynamicDim) {
    ctx.fail("{} has an unknown number of elements; give a list whose length is known", slot);
  }
  // Nothing is made room for before it is known to be needed.
  if (shape[0] > Shape::kMaxRank) {
    ctx.fail("{} has {} elements; it has one for a dimension, of which there are at most {}", slot,
             shape[0], Shape::kMaxRank);
  }
}

}  // namespace

IntegerList integer_list(const InferContext& ctx, std::string_view attribute,
                         std::string_view slot) {
  const auto& values = ctx.attr<std::vector<std::int64_t>>(attribute);
  if (!ctx.has_input(slot)) return {values};
  if (!values.empty()) {
    ctx.fail("both the attribute {} {} and the input {} are given; give one of them", attribute,
             to_string(values), slot);
  }
  check_list(ctx, slot);
  const Tensor& value = ctx.host_value(slot);
  if (!value.defined()) {
    return {std::vector<std::int64_t>(static_cast<std::size_t>(ctx.shape(slot)[0])), false};
  }
  return {value.dtype() == kInt32 ? widened<std::int32_t>(value) : widened<std::int64_t>(value)};
}

Shape given_shape(const InferContext& ctx, std::string_view attribute, std::string_view slot) {
  const IntegerList extents = integer_list(ctx, attribute, slot);
  // Zeros are extents too, so that this checks the rank.
  Shape shape = whole_shape(ctx, attribute, extents.values);
  for (int i = 0; !extents.known && i < shape.rank(); ++i) shape.set(i, kDynamicDim);
  return shape;
}

}  // namespace loci::ops
