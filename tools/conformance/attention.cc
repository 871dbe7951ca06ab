#include "tools/conformance/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/conformance/broadcast.h"
#include "tools/conformance/softmax.h"

namespace loci::conformance {
namespace {

struct Score {
  Real value;
  Real slack;  // roundoffs
};

// Returns the score of query i, key j and head h: k products, their sum, the factor and the mask.
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

// Weights p of a query that are off by d in the exponent are off by (d + the mean of d) p.
SoftmaxRow weights_of(const Attention& op, const Arrays& in, const Index& query) {
  std::vector<Real> scores;
  bool is_hidden = op.mask && op.zero_hidden;
  Real worst = 0;
  for (std::int64_t j = 0; j < op.keys; ++j) {
    const Score score = score_of(op, in, {query[0], query[1], query[2], j});
    scores.push_back(score.value);
    is_hidden = is_hidden && score.value == -std::numeric_limits<Real>::infinity();
    worst = std::max(worst, score.slack);
  }
  if (is_hidden) return {std::vector<Real>(scores.size()), std::vector<Real>(scores.size())};
  SoftmaxRow weights = softmax_row(scores);
  for (std::size_t j = 0; j < scores.size(); ++j) weights.slack[j] += weights.values[j] * 2 * worst;
  return weights;
}

template <class Visit>
void for_each_query(const Attention& op, const Visit& visit) {
  for (std::int64_t b = 0; b < op.batch; ++b) {
    for (std::int64_t h = 0; h < op.heads; ++h) {
      for (std::int64_t i = 0; i < op.queries; ++i) visit(Index{b, h, i});
    }
  }
}

// A value, and its error in roundoffs.
struct Off {
  Real value = 0;
  Real slack = 0;
};

// Adds a * b, one of `terms` products.
void add_product(Off* sum, const Off& a, const Off& b, std::int64_t terms) {
  sum->value += a.value * b.value;
  sum->slack += std::abs(a.value) * b.slack + std::abs(b.value) * a.slack +
                std::abs(a.value * b.value) * static_cast<Real>(terms + 2);
}

void add_product(Expected* sum, const Index& at, const Off& a, const Off& b, std::int64_t terms) {
  const std::size_t to = sum->offset(at);
  Off total{sum->values[to], sum->slack[to]};
  add_product(&total, a, b, terms);
  sum->values[to] = total.value;
  sum->slack[to] = total.slack;
}

// The gradients that one query has and gives.
class QueryGradients {
 public:
  QueryGradients(const Attention& op, const Arrays& in, const Index& query)
      : op_(op), in_(in), b_(query[0]), h_(query[1]), i_(query[2]) {
    const SoftmaxRow weights = weights_of(op, in, query);
    for (std::size_t j = 0; j < weights.values.size(); ++j) {
      weights_.push_back({weights.values[j], weights.slack[j]});
    }
  }

  void add_to(Expected* query_grad, Expected* key_grad, Expected* value_grad) const {
    const std::vector<Off> scores = score_gradients();
    for (std::int64_t j = 0; j < op_.keys; ++j) {
      const auto at = static_cast<std::size_t>(j);
      for (std::int64_t k = 0; k < op_.width; ++k) {
        const std::int64_t column = h_ * op_.width + k;
        const Off query{factor() * in_[0].at({b_, i_, column})};
        const Off key{factor() * in_[1].at({b_, j, column})};
        add_product(query_grad, {b_, i_, column}, scores[at], key, op_.keys);
        add_product(key_grad, {b_, j, column}, scores[at], query, op_.queries);
      }
      for (std::int64_t v = 0; v < op_.value_width; ++v) {
        const std::int64_t column = h_ * op_.value_width + v;
        add_product(value_grad, {b_, j, column}, weights_[at], out_grad(column), op_.queries);
      }
    }
  }

 private:
  [[nodiscard]] Real factor() const {
    return op_.factor != 0 ? static_cast<Real>(op_.factor)
                           : 1 / std::sqrt(static_cast<Real>(op_.width));
  }
  [[nodiscard]] Off out_grad(std::int64_t column) const {
    return {in_.back().at({b_, i_, column})};
  }

  // weight * (its gradient - the mean of gradients by the weights).
  [[nodiscard]] std::vector<Off> score_gradients() const {
    std::vector<Off> grads;
    Off level;
    for (std::int64_t j = 0; j < op_.keys; ++j) {
      Off grad;
      for (std::int64_t v = 0; v < op_.value_width; ++v) {
        const std::int64_t column = h_ * op_.value_width + v;
        add_product(&grad, out_grad(column), {in_[2].at({b_, j, column})}, op_.value_width);
      }
      grads.push_back(grad);
      add_product(&level, weights_[static_cast<std::size_t>(j)], grad, op_.keys);
    }
    std::vector<Off> result(grads.size());
    for (std::size_t j = 0; j < grads.size(); ++j) {
      const Off apart{
          grads[j].value - level.value,
          grads[j].slack + level.slack + std::abs(grads[j].value) + std::abs(level.value)};
      add_product(&result[j], weights_[j], apart, 1);
    }
    return result;
  }

  const Attention& op_;
  const Arrays& in_;
  std::int64_t b_;
  std::int64_t h_;
  std::int64_t i_;
  std::vector<Off> weights_;
};

}  // namespace

Expected attended(const Attention& op, const Arrays& in) {
  Expected out = Expected::bounded(in[0].dtype, {op.batch, op.queries, op.heads * op.value_width});
  if (op.keys == 0) return out;
  for_each_query(op, [&](const Index& query) {
    const SoftmaxRow weights = weights_of(op, in, query);
    for (std::int64_t v = 0; v < op.value_width; ++v) {
      const std::int64_t column = query[1] * op.value_width + v;
      const std::size_t to = out.offset({query[0], query[2], column});
      for (std::int64_t j = 0; j < op.keys; ++j) {
        const auto at = static_cast<std::size_t>(j);
        const Real value = in[2].at({query[0], j, column});
        out.values[to] += weights.values[at] * value;
        out.slack[to] += std::abs(value) *
                         (weights.slack[at] + weights.values[at] * static_cast<Real>(op.keys + 1));
      }
    }
  });
  return out;
}

std::vector<Expected> attention_gradients(const Attention& op, const Arrays& in) {
  std::vector<Expected> grads;
  for (int i = 0; i < 3; ++i) {
    const Array& input = in[static_cast<std::size_t>(i)];
    grads.push_back(Expected::bounded(input.dtype, input.shape));
  }
  if (op.keys == 0) return grads;
  for_each_query(op, [&](const Index& query) {
    QueryGradients(op, in, query).add_to(&grads[0], &grads[1], &grads[2]);
  });
  return grads;
}

}  // namespace loci::conformance
