// cross_entropy and softmax_with_cross_entropy with hard and soft labels, and their gradient ops.
#include <fmt/format.h>

#include <cmath>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/softmax.h"

namespace loci::conformance {
namespace {

constexpr std::int64_t kIgnored = -100;

struct Loss {
  Shape scores;
  Shape label;
  DType label_dtype = kInt64;  // kNone: soft, like the scores
  bool ignores = false;        // some labels are the ignored one

  [[nodiscard]] bool soft() const { return label_dtype == DType::kNone; }
  [[nodiscard]] std::int64_t classes() const { return scores[scores.rank() - 1]; }
  [[nodiscard]] Shape result() const {
    Shape shape = scores;
    shape.set(shape.rank() - 1, 1);
    return shape;
  }
};

// The labels of one row as weights of the classes; an ignored row has none.
std::vector<Real> weights_of(const Loss& loss, const Array& label, std::size_t row) {
  const auto classes = static_cast<std::size_t>(loss.classes());
  std::vector<Real> weights(classes);
  for (std::size_t k = 0; k < classes; ++k) {
    weights[k] = loss.soft() ? label.values[row * classes + k]
                             : Real(label.values[row] == static_cast<Real>(k));
  }
  return weights;
}

std::vector<Real> row_of(const Loss& loss, const Array& scores, std::size_t row) {
  const auto first = scores.values.begin() + static_cast<std::ptrdiff_t>(row) * loss.classes();
  return {first, first + loss.classes()};
}

std::size_t rows(const Loss& loss) { return static_cast<std::size_t>(loss.result().numel()); }

// -sum(label * log(x)).
std::vector<Expected> plain_reference(const Loss& loss, const Arrays& in) {
  Expected out = Expected::bounded(in[0].dtype, loss.result());
  const auto terms = static_cast<Real>(loss.soft() ? loss.classes() : 1);
  for (std::size_t r = 0; r < rows(loss); ++r) {
    const std::vector<Real> x = row_of(loss, in[0], r);
    const std::vector<Real> weights = weights_of(loss, in[1], r);
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (weights[k] == 0) continue;
      const Real term = weights[k] * std::log(x[k]);
      out.values[r] -= term;
      out.slack[r] += (terms + 5) * std::abs(term) + 2 * std::abs(weights[k]);
    }
  }
  return {out};
}

// sum(label * (log_sum - x)).
std::vector<Expected> fused_reference(const Loss& loss, const Arrays& in) {
  Expected probabilities = Expected::bounded(in[0].dtype, loss.scores);
  Expected out = Expected::bounded(in[0].dtype, loss.result());
  const auto classes = static_cast<std::size_t>(loss.classes());
  for (std::size_t r = 0; r < rows(loss); ++r) {
    const std::vector<Real> x = row_of(loss, in[0], r);
    const std::vector<Real> weights = weights_of(loss, in[1], r);
    const SoftmaxRow row = softmax_row(x);
    for (std::size_t k = 0; k < classes; ++k) {
      probabilities.values[r * classes + k] = row.values[k];
      probabilities.slack[r * classes + k] = row.slack[k];
      out.values[r] += weights[k] * (row.log_sum - x[k]);
      out.slack[r] +=
          std::abs(weights[k]) * (row.log_sum_slack + (static_cast<Real>(classes) + 3) *
                                                          (std::abs(row.log_sum) + std::abs(x[k])));
    }
  }
  return {probabilities, out};
}

// -out_grad * label / x.
std::vector<Expected> plain_grad_reference(const Loss& loss, const Arrays& in) {
  Expected out = Expected::bounded(in[0].dtype, loss.scores);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t r = i / static_cast<std::size_t>(loss.classes());
    const Real weight = weights_of(loss, in[1], r)[i % static_cast<std::size_t>(loss.classes())];
    out.values[i] = -in[2].values[r] * weight / in[0].values[i];
    out.slack[i] = 3 * std::abs(out.values[i]);
  }
  return {out};
}

// loss_grad * (softmax * sum(label) - label).
std::vector<Expected> fused_grad_reference(const Loss& loss, const Arrays& in) {
  Expected out = Expected::bounded(in[0].dtype, loss.scores);
  const auto classes = static_cast<std::size_t>(loss.classes());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::vector<Real> weights = weights_of(loss, in[1], i / classes);
    Real sum = 0;
    for (const Real weight : weights) sum += weight;
    const Real grad = in[2].values[i / classes];
    const Real weight = weights[i % classes];
    out.values[i] = grad * (in[0].values[i] * sum - weight);
    out.slack[i] = std::abs(grad) *
                   (static_cast<Real>(classes + 3) * in[0].values[i] * sum + 3 * std::abs(weight));
  }
  return {out};
}

Input label_input(const Loss& loss, DType scores) {
  if (loss.soft()) return {scores, loss.label, uniform(0, 1)};
  const std::int64_t last = loss.classes() - 1;
  const Generator labels = integers(0, last);
  if (!loss.ignores) return {loss.label_dtype, loss.label, labels};
  return {loss.label_dtype, loss.label, [=](std::size_t count, Bits& bits) {
            std::vector<Real> values = labels(count, bits);
            for (std::size_t i = 0; i < count; i += 2) values[i] = kIgnored;
            return values;
          }};
}

std::string variant(const Loss& loss) {
  if (loss.soft()) return "soft";
  return fmt::format("{} labels{}", dtype_name(loss.label_dtype), loss.ignores ? ", ignored" : "");
}

Case plain_case(DType dtype, const Loss& loss) {
  return {.op = "cross_entropy",
          .variant = variant(loss),
          .inputs = {{dtype, loss.scores, uniform(0.1L, 1)}, label_input(loss, dtype)},
          .build =
              [=](const Variables& in) {
                return Variables{cross_entropy(in[0], in[1], loss.soft(), kIgnored)};
              },
          .reference = [=](const Arrays& in) { return plain_reference(loss, in); },
          .differentiate = {0}};
}

Case fused_case(DType dtype, const Loss& loss, const Generator& logits, const char* suffix = "") {
  const bool smooth = *suffix == '\0';
  return {.op = "softmax_with_cross_entropy",
          .variant = variant(loss) + suffix,
          .inputs = {{dtype, loss.scores, logits}, label_input(loss, dtype)},
          .build =
              [=](const Variables& in) {
                return OpCall<Variable>("softmax_with_cross_entropy")
                    .input("logits", in[0])
                    .input("label", in[1])
                    .attr("soft_label", loss.soft())
                    .attr("ignore_index", kIgnored)
                    .results();
              },
          .reference = [=](const Arrays& in) { return fused_reference(loss, in); },
          .differentiate = smooth ? std::vector<std::size_t>{0} : std::vector<std::size_t>{}};
}

struct CrossEntropyGradOp {
  const char* name;
  const char* scores;
  const char* grad;
  std::vector<Expected> (*reference)(const Loss&, const Arrays&);
};

constexpr CrossEntropyGradOp kCrossEntropyGradOps[] = {
    {"cross_entropy_grad", "x", "out_grad", plain_grad_reference},
    {"softmax_with_cross_entropy_grad", "softmax", "loss_grad", fused_grad_reference},
};

Case grad_case(const CrossEntropyGradOp& op, DType dtype, const Loss& loss) {
  return {.op = op.name,
          .variant = variant(loss),
          .inputs = {{dtype, loss.scores, uniform(0.1L, 1)},
                     label_input(loss, dtype),
                     {dtype, loss.result(), uniform(-1, 1)}},
          .build =
              [=, &op](const Variables& in) {
                return OpCall<Variable>(op.name)
                    .input(op.scores, in[0])
                    .input("label", in[1])
                    .input(op.grad, in[2])
                    .attr("soft_label", loss.soft())
                    .attr("ignore_index", kIgnored)
                    .results();
              },
          .reference = [=, &op](const Arrays& in) { return op.reference(loss, in); }};
}

}  // namespace

void add_cross_entropy_cases(Suite& suite) {
  const Loss losses[] = {
      {{1}, {}},
      {{5}, {}},
      {{5}, {1}, kInt32},
      {{3, 4}, {3}},
      {{3, 4}, {3, 1}},
      {{3, 4}, {3, 1}, kInt32},
      {{7, 3}, {7}, kInt64, true},
      {{2, 3, 5}, {2, 3}},
      {{2, 3, 5}, {2, 3, 1}, kInt32, true},
      {{0, 4}, {0, 1}},
      {{9, 33}, {9, 1}},
      {{3, 4}, {3, 4}, DType::kNone},
      {{2, 3, 5}, {2, 3, 5}, DType::kNone},
      {{0, 4}, {0, 4}, DType::kNone},
      {{9, 33}, {9, 33}, DType::kNone},
  };
  for (const DType dtype : kFloatTypes) {
    for (const Loss& loss : losses) {
      suite.add(plain_case(dtype, loss));
      suite.add(fused_case(dtype, loss, uniform(-2, 2)));
      for (const CrossEntropyGradOp& op : kCrossEntropyGradOps)
        suite.add(grad_case(op, dtype, loss));
    }
    const Loss large{{65, 257}, {65, 1}};
    suite.add(fused_case(dtype, large, uniform(-2, 2), ", large"));
    suite.add(fused_case(dtype, {{5, 9}, {5}}, uniform(-300, 300), ", far apart"));
    // Rows of whole vectors, few and many to a row.
    for (const std::int64_t classes : {48, 1032}) {
      const Loss whole{{3, classes}, {3, 1}};
      suite.add(fused_case(dtype, whole, uniform(-2, 2), ", whole vectors"));
      for (const CrossEntropyGradOp& op : kCrossEntropyGradOps)
        suite.add(grad_case(op, dtype, whole));
    }
  }
}

}  // namespace loci::conformance
