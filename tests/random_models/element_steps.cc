// Values of every rank go through these steps: one by one, to another dtype and back, and as views.
#include "tests/random_models/model_builder.h"

namespace loci::test {
namespace {

using Integers = std::vector<std::int64_t>;

Integers dims_of(const Variable& x) {
  Integers dims{0};  // the batch as it is
  for (int axis = 1; axis < x.shape().rank(); ++axis) dims.push_back(x.shape()[axis]);
  return dims;
}

int some_axis(ModelBuilder& builder, const Variable& x) {
  return 1 + static_cast<int>(builder.dice().below(static_cast<std::size_t>(x.shape().rank() - 1)));
}

Variable there_and_back(ModelBuilder& builder, const Variable& x) {
  static const std::vector<DType> kThere = {kFloat32, kFloat64, kFloat16, kBFloat16};
  const std::size_t count = builder.traits().has_halves ? 4 : 2;
  const Variable there = cast(x, kThere[builder.dice().below(count)]);
  return cast(builder.dice().chance(50) ? builder.activation(there) : there, x.dtype());
}

Variable cut(ModelBuilder& builder, const Variable& x) {
  const int axis = some_axis(builder, x);
  const std::int64_t extent = x.shape()[axis];
  if (extent < 2) return x;
  const auto begin = static_cast<std::int64_t>(builder.dice().below(2));
  return slice(x, {axis}, Integers{begin}, Integers{extent - 1 + begin});
}

Variable joined(ModelBuilder& builder, const Variable& x) {
  const int axis = some_axis(builder, x);
  if (x.shape()[axis] > 40) return cut(builder, x);
  return concat(std::vector<Variable>{x, builder.another_like(x)}, axis);
}

// To parts, each changed or not, and together again.
Variable halves_of(ModelBuilder& builder, const Variable& x) {
  const int axis = some_axis(builder, x);
  if (x.shape()[axis] % 2 != 0 || x.shape()[axis] == 0) return x;
  std::vector<Variable> parts = split(x, 2, axis);
  if (builder.dice().chance(50)) parts[0] = builder.activation(parts[0]);
  return builder.dice().chance(50) ? concat(std::vector<Variable>{parts[1], parts[0]}, axis)
                                   : parts[0] + parts[1];
}

Variable flat_and_back(ModelBuilder& builder, const Variable& x) {
  const Variable flat = builder.activation(flatten(x));
  return reshape(flat, dims_of(x));
}

Variable means_taken(ModelBuilder& builder, const Variable& x) {
  const std::int64_t axis = some_axis(builder, x);
  if (x.shape()[static_cast<int>(axis)] == 0) return x;
  switch (builder.dice().below(builder.traits().is_smooth ? 2 : 3)) {
    case 0: return x - reduce_mean(x, {axis}, true);
    case 1: return x * tanh(reduce_sum(x, {axis}, true));
    default: return x - reduce_max(x, {axis}, true);
  }
}

// Makes a constant that folding knows before it runs.
Variable known(ModelBuilder& builder, const Variable& x) {
  const Shape shape{x.shape()[x.shape().rank() - 1]};
  const Variable constant = tanh(fill_constant(shape, 0.75, x.dtype()) * 0.5);
  return builder.dice().chance(50) ? x * constant : x + constant;
}

// Steps that turn on single bits: only where all bits stay.
Variable broken(ModelBuilder& builder, const Variable& x) {
  switch (builder.dice().below(6)) {
    case 0: return round(x * 4.0) * 0.25;
    case 1: return where(less_than(x, builder.another_like(x)), x, sign(x));
    case 2: return cast(cast(clip(x, -100, 100), kInt32), x.dtype());
    case 3: return elementwise_mod(x, abs(builder.another_like(x)) + 0.5);
    case 4: return floor(x);
    default: return where(greater_equal(x, tanh(x)), builder.another_like(x), x);
  }
}

}  // namespace

Variable moving_step(ModelBuilder& builder, const Variable& x) {
  switch (builder.dice().below(7)) {
    case 0: return cut(builder, x);
    case 1: return joined(builder, x);
    case 2: return halves_of(builder, x);
    case 3: return flat_and_back(builder, x);
    case 4: return means_taken(builder, x);
    case 5: {
      const Integers dims = dims_of(x);
      return reshape(builder.activation(unsqueeze(x, {1})), dims);
    }
    default: {
      const int axis = some_axis(builder, x);
      if (x.shape()[axis] < 2) return x;
      const Variable part = slice(x, {axis}, Integers{0}, Integers{1});
      return set_slice(x, part * 0.5, {axis}, Integers{1}, Integers{2});
    }
  }
}

Variable element_step(ModelBuilder& builder, const Variable& x) {
  switch (builder.dice().below(builder.traits().is_exact ? 10 : 8)) {
    case 0: return builder.activation(x);
    case 1: return there_and_back(builder, x);
    case 2: return known(builder, x);
    case 3: return scale(x, -0.75, 0.125);
    case 4: return tanh(x) * builder.another_like(x) - 0.25;
    case 5: return x / (1.0 + square(builder.another_like(x)));
    case 6: return scale(scale(x, 2.0), 0.5) + 0.0;
    case 7: return exp(tanh(x)) - sqrt(square(x) + 1.0);
    default: return broken(builder, x);
  }
}

}  // namespace loci::test
