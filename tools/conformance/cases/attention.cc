// attention.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <loci/ops.hpp>
#include <optional>
#include <vector>

#include "tools/conformance/broadcast.h"
#include "tools/conformance/case.h"
#include "tools/conformance/softmax.h"

namespace loci::conformance {
namespace {

struct Attention {
  std::int64_t batch;
  std::int64_t heads;
  std::int64_t queries;
  std::int64_t keys;
  std::int64_t width;  // of one head
  std::int64_t value_width;
  std::optional<Shape> mask = std::nullopt;
  double factor = 0;
  std::vector<Real> mask_values{};  // repeated; none: any
};

constexpr Real kHidden = -std::numeric_limits<Real>::infinity();

struct Score {
  Real value;
  Real slack;  // roundoffs
};

// Of query i and key j of head h: k products, their sum, the factor and the mask.
Score score_of(const Attention& op, const Arrays& in, const Index& at) {
  const std::int64_t b = at[0];
  const std::int64_t h = at[1];
  const Real factor = op.factor == 0
                          ? 1 / std::sqrt(static_cast<Real>(std::max<std::int64_t>(op.width, 1)))
                          : static_cast<Real>(op.factor);
  Score score{0, 0};
  for (std::int64_t k = 0; k < op.width; ++k) {
    const Real product =
        factor * in[0].at({b, at[2], h * op.width + k}) * in[1].at({b, at[3], h * op.width + k});
    score.value += product;
    score.slack += std::abs(product);
  }
  score.slack *= static_cast<Real>(op.width + 3);
  if (!op.mask) return score;
  score.value += in[3].at(broadcast_index(*op.mask, at));
  score.slack += std::isfinite(score.value) ? std::abs(score.value) : 0;
  return score;
}

// Weights p that are off by d in the exponent are off by (d + the mean of d) p.
Expected reference(const Attention& op, const Arrays& in) {
  Expected out = Expected::bounded(in[0].dtype, {op.batch, op.queries, op.heads * op.value_width});
  if (op.keys == 0) return out;
  for (std::int64_t b = 0; b < op.batch; ++b) {
    for (std::int64_t h = 0; h < op.heads; ++h) {
      for (std::int64_t i = 0; i < op.queries; ++i) {
        std::vector<Real> scores;
        Real worst = 0;
        for (std::int64_t j = 0; j < op.keys; ++j) {
          const Score score = score_of(op, in, {b, h, i, j});
          scores.push_back(score.value);
          worst = std::max(worst, score.slack);
        }
        const SoftmaxRow weights = softmax_row(scores);
        for (std::int64_t v = 0; v < op.value_width; ++v) {
          const std::size_t to = out.offset({b, i, h * op.value_width + v});
          for (std::int64_t j = 0; j < op.keys; ++j) {
            const auto at = static_cast<std::size_t>(j);
            const Real value = in[2].at({b, j, h * op.value_width + v});
            out.values[to] += weights.values[at] * value;
            out.slack[to] += std::abs(value) *
                             (weights.slack[at] +
                              weights.values[at] * (2 * worst + static_cast<Real>(op.keys + 1)));
          }
        }
      }
    }
  }
  return out;
}

// The first of so many.
std::vector<Real> hiding(std::size_t count, std::size_t hidden) {
  std::vector<Real> values(count, 0.5);
  std::fill_n(values.begin(), hidden, kHidden);
  return values;
}

Case attention_case(DType dtype, const Attention& op, const char* kind = "") {
  const Shape keys{op.batch, op.keys, op.heads * op.width};
  Case result{.op = "attention",
              .variant = fmt::format("heads {}{}{}{}", op.heads,
                                     op.factor != 0 ? fmt::format(" factor {}", op.factor) : "",
                                     op.mask ? " mask " + op.mask->to_string() : "", kind),
              .inputs = {{dtype, {op.batch, op.queries, op.heads * op.width}, uniform(-2, 2)},
                         {dtype, keys, uniform(-2, 2)},
                         {dtype, {op.batch, op.keys, op.heads * op.value_width}, uniform(-1, 1)}},
              .build =
                  [=](const Variables& in) {
                    return Variables{attention(in[0], in[1], in[2], op.heads,
                                               op.mask ? in[3] : Variable(), op.factor)};
                  },
              .reference = [=](const Arrays& in) { return std::vector{reference(op, in)}; }};
  if (op.mask) {
    result.inputs.push_back(
        {dtype, *op.mask, op.mask_values.empty() ? uniform(-1, 1) : cycle(op.mask_values)});
  }
  const bool is_small = op.batch * op.heads * op.queries * op.keys * op.width < 400;
  if (is_small) {
    result.differentiate = {0, 1, 2};
    // One that adds the same to all scores of a query changes nothing: its gradient is the error of
    // a sum that cancels.
    const bool tells_keys = op.mask && op.mask->rank() > 0 && (*op.mask)[op.mask->rank() - 1] > 1;
    if (tells_keys) result.differentiate.push_back(3);
  }
  result.gradient_slack = 256;
  return result;
}

}  // namespace

void add_attention_cases(Suite& suite) {
  const Attention cases[] = {
      {1, 1, 1, 1, 1, 1},
      {2, 2, 3, 4, 3, 2},
      {1, 2, 3, 4, 2, 3, Shape{3, 4}},
      {2, 2, 2, 3, 2, 2, Shape{2, 1, 1, 3}, 0.7},
      {2, 3, 2, 3, 2, 2, Shape{3, 2, 1}},
      {1, 1, 4, 4, 3, 3, Shape{}},
      {1, 4, 1, 70, 16, 16},
      {2, 3, 130, 67, 20, 17},
      {1, 2, 9, 200, 64, 33, Shape{2, 9, 200}},
      {2, 2, 40, 33, 8, 8, Shape{2, 1, 1, 33}},
      {1, 2, 100, 50, 24, 24, Shape{100, 1}, -0.3},
      {0, 2, 3, 4, 2, 2},
      {1, 2, 0, 4, 2, 2},
      {1, 2, 3, 0, 2, 2},
      // Long sequences, and heads that are wider than most, or too wide for some kernels.
      {1, 1, 35, 200, 64, 64},
      {1, 1, 17, 70, 128, 128},
      {1, 1, 1, 1100, 8, 8},
      {2, 1, 5, 40, 72, 100},
      {1, 2, 3, 20, 136, 8},
      // The first keys hidden; of each query all but one; and all.
      {1, 2, 5, 140, 16, 16, Shape{1, 140}, 0, hiding(140, 130)},
      {1, 2, 35, 35, 8, 8, Shape{35, 35}, 0, hiding(36, 35)},
      {2, 2, 3, 4, 16, 8, Shape{2, 1, 1, 4}, 0, hiding(8, 4)},
  };
  for (const DType dtype : kFloatTypes) {
    for (const Attention& op : cases) suite.add(attention_case(dtype, op));
  }
}

}  // namespace loci::conformance
