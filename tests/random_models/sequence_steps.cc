// Transformers are made of these, as ops and as others write them.
#include <cmath>

#include "tests/random_models/model_builder.h"

namespace loci::test {
namespace {

// Now and then as part of an expression, where a pass finds it.
Variable linear(ModelBuilder& builder, const Variable& x, std::int64_t width) {
  const std::int64_t inner = x.shape()[x.shape().rank() - 1];
  const Variable weight =
      builder.parameter({inner, width}, x.dtype(), 1.0 / std::sqrt(static_cast<double>(inner)));
  const Variable product = matmul(x, weight);
  if (builder.dice().chance(30)) return product;
  const Variable bias = builder.parameter({width}, x.dtype(), 0.5);
  return builder.dice().chance(50) ? product + bias : bias + product;
}

Variable softmax_of(ModelBuilder& builder, const Variable& x, std::int64_t axis) {
  if (builder.dice().chance(40)) return softmax(x, static_cast<int>(axis));
  const Variable powers = exp(x - reduce_max(x, {axis}, true));
  return powers / reduce_sum(powers, {axis}, true);
}

Variable gelu_of(ModelBuilder& builder, const Variable& x) {
  if (builder.dice().chance(50)) {
    const Variable gate = 1.0 + erf(x * 0.7071067812);
    return builder.dice().chance(50) ? 0.5 * x * gate : x * (gate / 2.0);
  }
  const Variable inner = 0.7978845608 * (x + 0.044715 * (x * x * x));
  return 0.5 * x * (1.0 + tanh(inner));
}

Variable norm_of(ModelBuilder& builder, const Variable& x) {
  const std::int64_t width = x.shape()[x.shape().rank() - 1];
  const Variable factor = builder.parameter({width}, x.dtype(), 0.2, 1);
  const Variable shift = builder.parameter({width}, x.dtype(), 0.2);
  if (builder.dice().chance(50)) {
    return layer_norm(x, factor, shift, x.shape().rank() - 1, /*epsilon=*/0.1);
  }
  const Variable d = x - reduce_mean(x, {-1}, true);
  const Variable deviation = sqrt(reduce_mean(d * d, {-1}, true) + 0.1);
  return d / deviation * factor + shift;
}

// Queries, keys and values of one input: three products that may become one.
Variable attention_of(ModelBuilder& builder, const Variable& x) {
  const std::int64_t width = builder.one_of({4, 6, 16});
  const Variable queries = linear(builder, x, width);
  const Variable keys = linear(builder, x, width);
  const Variable values = linear(builder, x, width);
  if (builder.dice().chance(40)) return attention(queries, keys, values, 2);
  const auto heads = [&](const Variable& of) {
    return transpose(reshape(of, {0, 0, 2, width / 2}), {0, 2, 1, 3});
  };
  const Variable scores = matmul(heads(queries), heads(keys), false, true) * 0.4;
  const Variable mixed = matmul(softmax_of(builder, scores, 3), heads(values));
  return reshape(transpose(mixed, {0, 2, 1, 3}), {0, 0, width});
}

Variable block(ModelBuilder& builder, const Variable& x) {
  const std::int64_t width = x.shape()[x.shape().rank() - 1];
  const Variable inner = builder.activation(linear(builder, norm_of(builder, x), 24));
  return x + linear(builder, inner, width);
}

}  // namespace

Variable sequence_step(ModelBuilder& builder, const Variable& steps) {
  switch (builder.dice().below(10)) {
    case 0: return builder.activation(linear(builder, steps, builder.one_of({1, 5, 16, 31})));
    case 1: return linear(builder, steps, builder.one_of({8, 12, 33}));
    case 2: return softmax_of(builder, steps, 2);
    case 3: return gelu_of(builder, steps);
    case 4: return norm_of(builder, steps);
    case 5:
    case 6: return attention_of(builder, steps);
    case 7: return block(builder, steps);
    case 8: return transpose(steps, {0, 2, 1});
    default: return steps + builder.another_like(steps);
  }
}

Variable row_step(ModelBuilder& builder, const Variable& rows) {
  switch (builder.dice().below(7)) {
    case 0:
    case 1: return builder.activation(linear(builder, rows, builder.one_of({1, 7, 16, 65})));
    case 2: return softmax_of(builder, rows, 1);
    case 3: return norm_of(builder, rows);
    case 4: return block(builder, rows);
    case 5: return l2_normalize(rows, 1, /*epsilon=*/0.1);
    default: return rows * builder.another_like(rows);
  }
}

}  // namespace loci::test
