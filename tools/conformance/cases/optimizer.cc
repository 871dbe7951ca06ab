// sgd, momentum, adam on dense and row-sparse gradients, and increment: state changes in place.
#include <fmt/format.h>

#include <cmath>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

const Shape kShapes[] = {{}, {1}, {0, 3}, {17}, {65, 129}};

// State is kept in the dtype computed in.
DType state_dtype(DType dtype) { return dtype == kFloat64 ? kFloat64 : kFloat32; }

// How the gradient of a case comes.
enum class Form { kDense, kRows, kLazyRows };

const char* form_name(Form form) {
  switch (form) {
    case Form::kDense: return "dense";
    case Form::kRows: return "rows";
    case Form::kLazyRows: return "lazy_rows";
  }
  return "";
}

// Parameters of row-sparse cases: rows that occur once, several times and never; widths below and
// above the blocks in which kernels sum.
struct RowCase {
  Shape param;
  std::vector<Real> rows;
};
const RowCase kRowCases[] = {{{5, 3}, {4, 0, 4, 4, 2}},
                             {{7, 300}, {6, 1, 1}},
                             {{4}, {3, 3}},
                             {{3, 2, 5}, {0}},
                             {{300, 17}, {299, 5, 5, 0, 128, 299, 5}},
                             {{6, 4}, {}},
                             // An id of -1 names no row.
                             {{4, 3}, {-1, 3, -1, 0, 3}},
                             {{256, 2}, {255, -1, 255, -1}},
                             {{2, 3}, {-1, -1, -1}}};

// The gradient that every element of the parameter sees, the sum of magnitudes behind it, and
// whether its row occurs at all.
struct DenseGradient {
  std::vector<Real> sum;
  std::vector<Real> magnitude;
  std::vector<Real> terms;
  std::vector<bool> occurs;
};

DenseGradient dense_gradient(const Array& param, const Array& grad, const Array* rows) {
  if (rows == nullptr) {
    DenseGradient dense{
        grad.values, {}, std::vector<Real>(param.size(), 1), std::vector<bool>(param.size(), true)};
    for (const Real value : grad.values) dense.magnitude.push_back(std::abs(value));
    return dense;
  }
  DenseGradient dense{std::vector<Real>(param.size()), std::vector<Real>(param.size()),
                      std::vector<Real>(param.size()), std::vector<bool>(param.size())};
  const std::size_t width = param.size() / static_cast<std::size_t>(param.shape[0]);
  for (std::size_t i = 0; i < rows->size(); ++i) {
    if (rows->values[i] < 0) continue;
    const auto row = static_cast<std::size_t>(rows->values[i]);
    for (std::size_t column = 0; column < width; ++column) {
      const std::size_t target = row * width + column;
      dense.sum[target] += grad.values[i * width + column];
      dense.magnitude[target] += std::abs(grad.values[i * width + column]);
      dense.terms[target] += 1;
      dense.occurs[target] = true;
    }
  }
  return dense;
}

// Returns the error that rounding may add to the summed gradient before the rule sees it.
Real error_of_sum(const DenseGradient& grad, std::size_t i) {
  return std::max<Real>(grad.terms[i] - 1, 0) * grad.magnitude[i];
}

Shape gradient_shape(const Shape& param, std::size_t rows) {
  Shape shape = param;
  shape.set(0, static_cast<std::int64_t>(rows));
  return shape;
}

// Inputs common to all: parameter, gradient, what the rule has, rate, rows.
std::vector<Input> inputs(DType dtype, const Shape& param, const RowCase* rows,
                          std::vector<Input> state) {
  const Shape grad = rows == nullptr ? param : gradient_shape(param, rows->rows.size());
  std::vector<Input> list{{dtype, param, uniform(-2, 2), /*state=*/true},
                          {dtype, grad, uniform(-2, 2)}};
  list.insert(list.end(), state.begin(), state.end());
  list.push_back({kFloat32, {}, uniform(0.1L, 0.2L)});
  if (rows != nullptr) {
    const auto count = static_cast<std::int64_t>(rows->rows.size());
    list.push_back({count % 2 == 0 ? kInt32 : kInt64, {count}, cycle(rows->rows)});
  }
  return list;
}

const Array* rows_of(const Arrays& in, std::size_t index) {
  return in.size() > index ? &in[index] : nullptr;
}

Variable rows_of(const Variables& in, std::size_t index) {
  return in.size() > index ? in[index] : Variable();
}

// A product and a difference, and the rounding of the rate to the dtype computed in.
std::vector<Expected> sgd_reference(const Arrays& in) {
  Expected out = Expected::bounded(in[0].dtype, in[0].shape);
  const DenseGradient grad = dense_gradient(in[0], in[1], rows_of(in, 3));
  const Real rate = in[2].values[0];
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Real step = rate * grad.sum[i];
    out.values[i] = in[0].values[i] - step;
    out.slack[i] = 2 * std::abs(step) + std::abs(out.values[i]) + rate * error_of_sum(grad, i);
  }
  return {out};
}

Case sgd_case(DType dtype, const Shape& shape, const RowCase* rows) {
  return {
      .op = "sgd",
      .variant = rows == nullptr ? "" : fmt::format("{}_rows", rows->rows.size()),
      .inputs = inputs(dtype, shape, rows, {}),
      .build =
          [](const Variables& in) { return Variables{sgd(in[0], in[1], in[2], rows_of(in, 3))}; },
      .reference = sgd_reference};
}

Case sgd_rate_case(DType dtype) {
  Case made = sgd_case(dtype, {5, 3}, nullptr);
  made.variant = "rate_of_one_element";
  made.inputs[2].shape = {1};
  return made;
}

struct MomentumAttributes {
  double mu;
  bool nesterov;
};

std::vector<Expected> momentum_reference(const Arrays& in, MomentumAttributes attributes,
                                         bool lazy) {
  Expected param = Expected::bounded(in[0].dtype, in[0].shape);
  Expected velocity = Expected::bounded(in[2].dtype, in[2].shape);
  const DenseGradient grad = dense_gradient(in[0], in[1], rows_of(in, 4));
  const Real rate = in[3].values[0];
  const Real mu = attributes.mu;
  for (std::size_t i = 0; i < param.size(); ++i) {
    param.values[i] = in[0].values[i];
    velocity.values[i] = in[2].values[i];
    if (lazy && !grad.occurs[i]) continue;
    const Real kept = mu * in[2].values[i];
    velocity.values[i] = kept + grad.sum[i];
    const Real error = 3 * std::abs(kept) + std::abs(velocity.values[i]) + error_of_sum(grad, i);
    velocity.slack[i] = error;
    const Real ahead = mu * velocity.values[i];
    const Real step = attributes.nesterov ? grad.sum[i] + ahead : velocity.values[i];
    const Real step_error = attributes.nesterov ? mu * error + 3 * std::abs(ahead) +
                                                      std::abs(step) + error_of_sum(grad, i)
                                                : error;
    param.values[i] = in[0].values[i] - rate * step;
    param.slack[i] = rate * step_error + 2 * rate * std::abs(step) + std::abs(param.values[i]);
  }
  return {param, velocity};
}

Case momentum_case(DType dtype, const Shape& shape, MomentumAttributes attributes, Form form,
                   const RowCase* rows) {
  const bool lazy = form == Form::kLazyRows;
  return {.op = "momentum",
          .variant = fmt::format("{}{}_{}_{}", attributes.nesterov ? "nesterov_" : "",
                                 attributes.mu, form_name(form), rows ? rows->rows.size() : 0),
          .inputs = inputs(dtype, shape, rows,
                           {{state_dtype(dtype), shape, uniform(-1, 1), /*state=*/true}}),
          .build =
              [=](const Variables& in) {
                momentum(in[0], in[1], in[2], in[3], attributes.mu, attributes.nesterov, lazy,
                         rows_of(in, 4));
                return Variables{in[0], in[2]};
              },
          .reference = [=](const Arrays& in) { return momentum_reference(in, attributes, lazy); }};
}

struct AdamTerms {
  Real value;
  Real error;
};

// beta * old + (1 - beta) * fresh, and what its roundings may do, those of the factors included.
AdamTerms moving_average(Real beta, Real old, Real fresh, Real fresh_error) {
  const Real kept = beta * old;
  const Real added = (1 - beta) * fresh;
  const Real value = kept + added;
  return {value,
          2 * std::abs(kept) + 3 * std::abs(added) + (1 - beta) * fresh_error + std::abs(value)};
}

std::vector<Expected> adam_reference(const Arrays& in, const AdamUpdate& options) {
  Expected param = Expected::bounded(in[0].dtype, in[0].shape);
  Expected first = Expected::bounded(in[2].dtype, in[2].shape);
  Expected second = Expected::bounded(in[3].dtype, in[3].shape);
  const DenseGradient grad = dense_gradient(in[0], in[1], rows_of(in, 6));
  const Real t = in[4].values[0] + 1;
  const Real rate = in[5].values[0];
  for (std::size_t i = 0; i < param.size(); ++i) {
    param.values[i] = in[0].values[i];
    first.values[i] = in[2].values[i];
    second.values[i] = in[3].values[i];
    if (options.lazy_mode && !grad.occurs[i]) continue;
    const Real g = grad.sum[i];
    const Real g_error = error_of_sum(grad, i);
    const AdamTerms m = moving_average(options.beta1, in[2].values[i], g, g_error);
    const AdamTerms v =
        moving_average(options.beta2, in[3].values[i], g * g, 2 * std::abs(g) * g_error + g * g);
    first.values[i] = m.value;
    first.slack[i] = m.error;
    second.values[i] = v.value;
    second.slack[i] = v.error;
    const Real scale = rate / (1 - std::pow(Real{options.beta1}, t));
    const Real root = std::sqrt(v.value / (1 - std::pow(Real{options.beta2}, t)));
    const Real divisor = root + options.epsilon;
    const Real step = scale * m.value / divisor;
    // Half of the relative error of v, and the roundings of the correction, the root and the sum.
    const Real divisor_error = root * ((v.value > 0 ? v.error / v.value : 0) / 2 + 3) + divisor;
    const Real kept = (1 - rate * Real{options.weight_decay}) * in[0].values[i];
    param.values[i] = kept - step;
    param.slack[i] = scale * m.error / divisor + std::abs(step) * divisor_error / divisor +
                     4 * std::abs(step) + 2 * std::abs(kept) + std::abs(param.values[i]);
  }
  return {param, first, second};
}

Case adam_case(DType dtype, const Shape& shape, Real step, AdamUpdate options, Form form,
               const RowCase* rows) {
  options.lazy_mode = form == Form::kLazyRows;
  const DType state = state_dtype(dtype);
  return {.op = "adam",
          .variant = fmt::format("step{}_{}_{}_{}", static_cast<int>(step), options.weight_decay,
                                 form_name(form), rows ? rows->rows.size() : 0),
          .inputs = inputs(dtype, shape, rows,
                           {{state, shape, uniform(-1, 1), /*state=*/true},
                            {state, shape, uniform(0.01L, 1), /*state=*/true},
                            {kInt64, {}, cycle({step}), /*state=*/true}}),
          .build =
              [=](const Variables& in) {
                adam(in[0], in[1], in[2], in[3], in[4], in[5], options, rows_of(in, 6));
                return Variables{in[0], in[2], in[3]};
              },
          .reference = [=](const Arrays& in) { return adam_reference(in, options); }};
}

// The steps of several parameters lie side by side.
Case adam_counter_case(DType dtype) {
  Case made = adam_case(dtype, {5, 3}, 0, {}, Form::kDense, nullptr);
  made.variant = "counter";
  made.inputs[4] = {kInt64, {4}, cycle({7, 900, 2, 41}), /*state=*/true};
  made.build = [](const Variables& in) {
    OpCall<Variable> call("adam");
    const char* const slots[] = {"param", "grad", "moment1", "moment2", "step", "learning_rate"};
    for (std::size_t i = 0; i < in.size(); ++i) call.input(slots[i], in[i]);
    (void)call.attr("counter", std::int64_t{2}).results();
    return Variables{in[0], in[2], in[3]};
  };
  made.reference = [](const Arrays& in) {
    Arrays with_its_own = in;
    with_its_own[4].values = {in[4].values[2]};
    return adam_reference(with_its_own, {});
  };
  return made;
}

// `count` of several numbers from `first` on; 0 for all that are there.
Case increment_some_case(std::int64_t first, std::int64_t count) {
  return {.op = "increment",
          .variant = fmt::format("{} from {}", count, first),
          .inputs = {{kInt64, {300}, integers(-9, 9), /*state=*/true}},
          .build =
              [=](const Variables& in) {
                return Variables{OpCall<Variable>("increment")
                                     .input("x", in[0])
                                     .attr("step", std::int64_t{2})
                                     .attr("first", first)
                                     .attr("count", count)
                                     .result()};
              },
          .reference =
              [=](const Arrays& in) {
                Expected out = Expected::exact(kInt64, {300});
                const std::int64_t end = count == 0 ? 300 : first + count;
                for (std::int64_t i = 0; i < 300; ++i) {
                  const auto at = static_cast<std::size_t>(i);
                  out.values[at] = in[0].values[at] + (i >= first && i < end ? 2 : 0);
                }
                return std::vector{out};
              }};
}

Case increment_case(Real value, std::int64_t step) {
  return {.op = "increment",
          .variant = fmt::format("{}", step),
          .inputs = {{kInt64, {1}, cycle({value}), /*state=*/true}},
          .build = [=](const Variables& in) { return Variables{increment(in[0], step)}; },
          .reference =
              [=](const Arrays& in) {
                Expected out = Expected::exact(kInt64, {1});
                out.values[0] = in[0].values[0] + static_cast<Real>(step);
                return std::vector{out};
              }};
}

void add_dense(Suite& suite, DType dtype, const Shape& shape) {
  suite.add(sgd_case(dtype, shape, nullptr));
  suite.add(momentum_case(dtype, shape, {0.9, false}, Form::kDense, nullptr));
  suite.add(momentum_case(dtype, shape, {0.5, true}, Form::kDense, nullptr));
  suite.add(adam_case(dtype, shape, 0, {}, Form::kDense, nullptr));
  suite.add(adam_case(dtype, shape, 1000, {.weight_decay = 0.1}, Form::kDense, nullptr));
}

void add_rows(Suite& suite, DType dtype, const RowCase& rows) {
  suite.add(sgd_case(dtype, rows.param, &rows));
  for (const Form form : {Form::kRows, Form::kLazyRows}) {
    suite.add(momentum_case(dtype, rows.param, {0.9, true}, form, &rows));
    suite.add(adam_case(dtype, rows.param, 3, {}, form, &rows));
  }
}

}  // namespace

void add_optimizer_cases(Suite& suite) {
  for (const DType dtype : kFloatTypes) {
    for (const Shape& shape : kShapes) add_dense(suite, dtype, shape);
    for (const RowCase& rows : kRowCases) add_rows(suite, dtype, rows);
    suite.add(sgd_rate_case(dtype));
  }
  suite.add(increment_case(41, 1));
  suite.add(increment_case(0, -3));
  for (const std::int64_t first : {0, 7}) {
    for (const std::int64_t count : {0, 1, 280}) suite.add(increment_some_case(first, count));
  }
  for (const DType dtype : kFloatTypes) suite.add(adam_counter_case(dtype));
}

}  // namespace loci::conformance
