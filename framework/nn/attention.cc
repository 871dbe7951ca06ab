#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <loci/nn/attention.hpp>
#include <loci/operators.hpp>
#include <loci/ops/attention.hpp>
#include <loci/ops/comparison.hpp>
#include <loci/ops/creation.hpp>
#include <loci/ops/loss.hpp>
#include <loci/ops/product.hpp>
#include <loci/ops/reduction.hpp>
#include <loci/ops/shape.hpp>

#include "framework/core/raise.h"
#include "framework/eager/user_call.h"
#include "framework/nn/arguments.h"

namespace loci {
inline namespace v0 {
namespace nn {
namespace {

std::int64_t checked_width(std::int64_t width, std::int64_t heads) {
  check_positive("MultiHeadAttention", "width", width);
  check_positive("MultiHeadAttention", "heads", heads);
  if (width % heads == 0) return width;
  core::raise(ErrorCode::kInvalidArgument,
              "[MultiHeadAttention] {} heads do not divide the width {}", heads, width);
}

void check_input(const char* what, const Tensor& x, std::int64_t width) {
  if (x.shape().rank() == 3 && x.shape()[2] == width) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[MultiHeadAttention] {} '{}' is {}; give [batch, length, {}]", what, x.name(),
              describe(x), width);
}

// The softmax of masked scores; 0 where all keys of a query are hidden, as attention() has it.
Tensor shown_weights(const Tensor& scores) {
  const Tensor level = reduce_max(scores, {-1}, /*keep_dim=*/true);
  const Tensor is_hidden = equal(level, full_like(level, -std::numeric_limits<double>::infinity()));
  const Tensor zero = full_like(level, 0.0);
  return where(is_hidden, zero, softmax(where(is_hidden, zero, scores)));
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(std::int64_t width, std::int64_t heads, double dropout,
                                       const ParameterOptions& parameters)
    : width_(checked_width(width, heads)),
      heads_(heads),
      query_(width, width, parameters),
      key_(width, width, parameters),
      value_(width, width, parameters),
      output_(width, width, parameters),
      dropout_(dropout) {
  register_child("query", query_);
  register_child("key", key_);
  register_child("value", value_);
  register_child("output", output_);
  register_child("dropout", dropout_);
}

// [batch, length, width] as [batch, heads, length, width / heads].
Tensor MultiHeadAttention::in_heads(const Tensor& x) const {
  return transpose(reshape(x, {0, 0, heads_, width_ / heads_}), {0, 2, 1, 3});
}

Tensor MultiHeadAttention::forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const Tensor& mask) {
  const eager::UserCall call(__builtin_return_address(0));
  check_input("query", query, width_);
  check_input("key", key, width_);
  check_input("value", value, width_);
  const Tensor queries = query_(query);
  const Tensor keys = key_(key);
  const Tensor values = value_(value);
  const bool drops = is_training() && dropout_.p() > 0;
  return output_(drops ? dropping(queries, keys, values, mask)
                       : attention(queries, keys, values, heads_, mask));
}

// Written out, for the weights that are dropped.
Tensor MultiHeadAttention::dropping(const Tensor& queries, const Tensor& keys, const Tensor& values,
                                    const Tensor& mask) {
  // Scaled before the product, where there are fewer elements than after it.
  const double factor = 1.0 / std::sqrt(static_cast<double>(width_ / heads_));
  const Tensor scores = matmul(in_heads(scale(queries, factor)), in_heads(keys), false,
                               /*transpose_y=*/true);
  const Tensor weights = dropout_(mask.defined() ? shown_weights(scores + mask) : softmax(scores));
  const Tensor seen = matmul(weights, in_heads(values));
  return reshape(transpose(seen, {0, 2, 1, 3}), {0, 0, width_});
}

std::string MultiHeadAttention::arguments() const {
  return fmt::format("width={}, heads={}", width_, heads_);
}

}  // namespace nn
}  // namespace v0
}  // namespace loci
