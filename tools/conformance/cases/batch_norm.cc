// batch_norm, which changes its statistics in place, and its gradient.
#include <fmt/format.h>

#include <cmath>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/normalization.h"

namespace loci::conformance {
namespace {

DType statistics_dtype(DType dtype) { return dtype == kFloat64 ? kFloat64 : kFloat32; }

struct Norm {
  Shape x;
  BatchNormOptions options = {};
  const char* note = "";

  [[nodiscard]] int axis() const { return options.data_layout == "NHWC" ? x.rank() - 1 : 1; }
  [[nodiscard]] Shape channels() const { return {x[axis()]}; }
  [[nodiscard]] bool fixed() const { return options.is_test || options.use_global_stats; }
  // Offsets of the elements of each channel.
  [[nodiscard]] std::vector<std::vector<std::size_t>> elements() const {
    std::vector<std::vector<std::size_t>> groups(static_cast<std::size_t>(x[axis()]));
    for (std::size_t i = 0; i < static_cast<std::size_t>(x.numel()); ++i) {
      const std::int64_t channel = index_of(x, i)[static_cast<std::size_t>(axis())];
      groups[static_cast<std::size_t>(channel)].push_back(i);
    }
    return groups;
  }
  [[nodiscard]] std::string variant() const {
    return fmt::format("{}, momentum {}, epsilon {}{}{}{}", options.data_layout, options.momentum,
                       options.epsilon, options.is_test ? ", test" : "",
                       options.use_global_stats ? ", global" : "", note);
  }
};

std::vector<Real> taken(const Array& x, const std::vector<std::size_t>& offsets) {
  std::vector<Real> values;
  for (const std::size_t i : offsets) values.push_back(x.values[i]);
  return values;
}

struct Statistics {
  Expected mean;
  Expected variance;
};

// momentum * old + (1 - momentum) * fresh, with the roundings of both factors.
void move(Expected* running, std::size_t c, Real momentum, Real fresh, Real error) {
  const Real kept = momentum * running->values[c];
  const Real added = (1 - momentum) * fresh;
  running->values[c] = kept + added;
  running->slack[c] = 2 * std::abs(kept) + 3 * std::abs(added) + (1 - momentum) * error +
                      std::abs(running->values[c]);
}

// y, the running statistics, and the saved ones.
std::vector<Expected> forward_reference(const Norm& norm, const Arrays& in) {
  const DType statistics = statistics_dtype(in[0].dtype);
  Expected y = Expected::bounded(in[0].dtype, in[0].shape);
  Expected saved_mean = Expected::bounded(statistics, norm.channels());
  Expected saved_inv_std = saved_mean;
  Statistics running{saved_mean, saved_mean};
  running.mean.values = in[3].values;
  running.variance.values = in[4].values;
  const auto groups = norm.elements();
  for (std::size_t c = 0; c < groups.size(); ++c) {
    GroupMoments moments{in[3].values[c], 0, in[4].values[c], 0};
    if (!norm.fixed()) {
      moments = moments_of(taken(in[0], groups[c]));
      if (!groups[c].empty()) {
        move(&running.mean, c, norm.options.momentum, moments.mean, moments.mean_error);
        move(&running.variance, c, norm.options.momentum, moments.variance, moments.variance_error);
      }
    }
    const InverseDeviation inverse = inverse_deviation(moments, norm.options.epsilon);
    saved_mean.values[c] = moments.mean;
    saved_mean.slack[c] = moments.mean_error;
    saved_inv_std.values[c] = inverse.value;
    saved_inv_std.slack[c] = inverse.error;
    for (const std::size_t i : groups[c]) {
      const NormalizedElement element =
          normalized_element(in[0].values[i], moments, inverse, in[1].values[c], in[2].values[c]);
      y.values[i] = element.value;
      y.slack[i] = element.error;
    }
  }
  return {y, running.mean, running.variance, saved_mean, saved_inv_std};
}

std::vector<Expected> grad_reference(const Norm& norm, const Arrays& in) {
  Expected x_grad = Expected::bounded(in[0].dtype, in[0].shape);
  Expected scale_grad = Expected::bounded(in[0].dtype, norm.channels());
  Expected bias_grad = scale_grad;
  const auto groups = norm.elements();
  for (std::size_t c = 0; c < groups.size(); ++c) {
    const auto n = static_cast<Real>(groups[c].size());
    const GroupInputs group{taken(in[0], groups[c]),
                            taken(in[4], groups[c]),
                            std::vector<Real>(groups[c].size(), in[1].values[c]),
                            in[2].values[c],
                            in[3].values[c],
                            norm.fixed()};
    const GroupGradient gradient = group_gradient(group);
    for (std::size_t k = 0; k < groups[c].size(); ++k) {
      x_grad.values[groups[c][k]] = gradient.x_grad[k];
      x_grad.slack[groups[c][k]] = gradient.error[k];
      scale_grad.values[c] += gradient.scale_terms[k];
      scale_grad.slack[c] += gradient.scale_errors[k] + n * std::abs(gradient.scale_terms[k]);
      bias_grad.values[c] += group.y_grad[k];
      bias_grad.slack[c] += n * std::abs(group.y_grad[k]);
    }
  }
  return {x_grad, scale_grad, bias_grad};
}

Case forward_case(DType dtype, const Norm& norm, const Generator& values, bool differentiate) {
  const DType statistics = statistics_dtype(dtype);
  Case made{.op = "batch_norm",
            .variant = norm.variant() + (differentiate ? ", gradient" : ""),
            .inputs = {{dtype, norm.x, values},
                       {dtype, norm.channels(), uniform(-2, 2)},
                       {dtype, norm.channels(), uniform(-2, 2)},
                       {statistics, norm.channels(), uniform(-1, 1), /*state=*/true},
                       {statistics, norm.channels(), uniform(0.5L, 2), /*state=*/true}},
            .build = nullptr};
  made.build = [=](const Variables& in) {
    const Variable y = batch_norm(in[0], in[1], in[2], in[3], in[4], norm.options);
    if (differentiate) return Variables{y};
    const std::string op = y.name().substr(0, y.name().size() - 2);
    const Program program(y.program());
    return Variables{y, in[3], in[4], program.find(op + ".saved_mean"),
                     program.find(op + ".saved_inv_std")};
  };
  made.reference = [=](const Arrays& in) {
    std::vector<Expected> results = forward_reference(norm, in);
    if (differentiate) results.resize(1);
    return results;
  };
  if (differentiate) made.differentiate = {0, 1, 2};
  return made;
}

// Any statistics will do: the gradient takes them as they are. Linear in y_grad.
Case grad_case(DType dtype, const Norm& norm) {
  const DType statistics = statistics_dtype(dtype);
  const bool small = norm.x.numel() > 0 && norm.x.numel() < 500;
  return {.op = "batch_norm_grad",
          .variant = norm.variant(),
          .inputs = {{dtype, norm.x, uniform(-2, 2)},
                     {dtype, norm.channels(), uniform(-2, 2)},
                     {statistics, norm.channels(), uniform(-0.5L, 0.5L)},
                     {statistics, norm.channels(), uniform(0.5L, 2)},
                     {dtype, norm.x, uniform(-1, 1)}},
          .build =
              [=](const Variables& in) {
                return OpCall<Variable>("batch_norm_grad")
                    .input("x", in[0])
                    .input("scale", in[1])
                    .input("saved_mean", in[2])
                    .input("saved_inv_std", in[3])
                    .input("y_grad", in[4])
                    .attr("data_layout", norm.options.data_layout)
                    .attr("is_test", norm.options.is_test)
                    .attr("use_global_stats", norm.options.use_global_stats)
                    .results();
              },
          .reference = [=](const Arrays& in) { return grad_reference(norm, in); },
          .differentiate = small ? std::vector<std::size_t>{4} : std::vector<std::size_t>{}};
}

const Shape kBatchNormShapes[] = {{1, 1},         {5, 3},       {0, 3},       {4, 0},
                                  {2, 3, 4, 5},   {3, 2, 1, 1}, {1, 4, 7},    {2, 2, 2, 3, 2},
                                  {2, 17, 9, 11}, {33, 35},     {0, 2, 3, 3}, {2, 3, 40, 65}};

std::vector<Norm> all_norms() {
  std::vector<Norm> norms;
  for (const Shape& shape : kBatchNormShapes) {
    norms.push_back({shape});
    norms.push_back({shape, {.is_test = true}});
    norms.push_back({shape, {.use_global_stats = true}});
    norms.push_back({shape, {.data_layout = "NHWC"}});
    norms.push_back({shape, {.data_layout = "NHWC", .is_test = true}});
  }
  norms.push_back({{3, 2, 4}, {.momentum = 0}});
  norms.push_back({{3, 2, 4}, {.momentum = 1}});
  norms.push_back({{3, 2, 4}, {.momentum = 0.5, .epsilon = 0.25}});
  return norms;
}

}  // namespace

void add_batch_norm_cases(Suite& suite) {
  for (const DType dtype : kFloatTypes) {
    for (const Norm& norm : all_norms()) {
      suite.add(forward_case(dtype, norm, uniform(-2, 2), /*differentiate=*/false));
      suite.add(grad_case(dtype, norm));
      if (norm.x.numel() == 0 || norm.x.numel() > 200) continue;
      suite.add(forward_case(dtype, norm, uniform(-2, 2), /*differentiate=*/true));
    }
    for (const char* layout : {"NCHW", "NHWC"}) {
      const BatchNormOptions options{.data_layout = layout};
      // The difference of the squares' mean and the mean's square would have no digit left.
      suite.add(forward_case(dtype, {{4, 3, 8}, options, ", far from 0"}, uniform(1000, 1001),
                             /*differentiate=*/false));
      suite.add(forward_case(dtype, {{4, 3, 2}, options, ", equal elements"}, cycle({3}),
                             /*differentiate=*/false));
    }
  }
}

}  // namespace loci::conformance
