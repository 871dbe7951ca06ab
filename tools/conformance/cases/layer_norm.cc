// layer_norm and its gradient.
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
  int axis = 1;
  bool has_scale = true;
  bool has_bias = true;
  double epsilon = 1e-5;
  const char* note = "";

  [[nodiscard]] std::size_t width() const {
    std::size_t product = 1;
    for (int i = axis; i < x.rank(); ++i) product *= static_cast<std::size_t>(x[i]);
    return product;
  }
  [[nodiscard]] Shape rows() const {
    Shape shape;
    for (int i = 0; i < axis; ++i) shape.push_back(x[i]);
    return shape;
  }
  [[nodiscard]] Shape columns() const { return {static_cast<std::int64_t>(width())}; }
  [[nodiscard]] std::string variant() const {
    return fmt::format("axis {}{}{}, epsilon {}{}", axis, has_scale ? ", scale" : "",
                       has_bias ? ", bias" : "", epsilon, note);
  }
};

// The optional arguments among the inputs, which begin at `first`.
template <class Values>
struct Optional {
  typename Values::value_type scale{};
  typename Values::value_type bias{};
  Optional(const Norm& norm, const Values& in, std::size_t first) {
    if (norm.has_scale) scale = in[first];
    if (norm.has_bias) bias = in[first + (norm.has_scale ? 1 : 0)];
  }
};

std::vector<Real> part(const Array& x, std::size_t begin, std::size_t count) {
  const auto first = x.values.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

std::vector<Expected> forward_reference(const Norm& norm, const Arrays& in) {
  const Array& x = in[0];
  const Optional<Arrays> given(norm, in, 1);
  Expected y = Expected::bounded(x.dtype, x.shape);
  Expected mean = Expected::bounded(statistics_dtype(x.dtype), norm.rows());
  Expected inv_std = mean;
  const std::size_t width = norm.width();
  for (std::size_t row = 0; row < mean.size(); ++row) {
    const GroupMoments moments = moments_of(part(x, row * width, width));
    const InverseDeviation inverse = inverse_deviation(moments, norm.epsilon);
    mean.values[row] = moments.mean;
    mean.slack[row] = moments.mean_error;
    inv_std.values[row] = inverse.value;
    inv_std.slack[row] = inverse.error;
    for (std::size_t i = 0; i < width; ++i) {
      const NormalizedElement element = normalized_element(
          x.values[row * width + i], moments, inverse, norm.has_scale ? given.scale.values[i] : 1,
          norm.has_bias ? given.bias.values[i] : 0);
      y.values[row * width + i] = element.value;
      y.slack[row * width + i] = element.error;
    }
  }
  return {y, mean, inv_std};
}

std::vector<Expected> grad_reference(const Norm& norm, const Arrays& in) {
  const Array& x = in[0];
  const Optional<Arrays> given(norm, in, 4);
  const std::size_t width = norm.width();
  Expected x_grad = Expected::bounded(x.dtype, x.shape);
  Expected scale_grad = Expected::bounded(x.dtype, norm.columns());
  Expected bias_grad = scale_grad;
  const auto rows = static_cast<Real>(in[1].size());
  for (std::size_t row = 0; row < in[1].size(); ++row) {
    GroupInputs group{part(x, row * width, width), part(in[3], row * width, width),
                      std::vector<Real>(width, 1), in[1].values[row], in[2].values[row]};
    if (norm.has_scale) group.scale = given.scale.values;
    const GroupGradient gradient = group_gradient(group);
    for (std::size_t i = 0; i < width; ++i) {
      x_grad.values[row * width + i] = gradient.x_grad[i];
      x_grad.slack[row * width + i] = gradient.error[i];
      scale_grad.values[i] += gradient.scale_terms[i];
      scale_grad.slack[i] += gradient.scale_errors[i] + rows * std::abs(gradient.scale_terms[i]);
      bias_grad.values[i] += group.y_grad[i];
      bias_grad.slack[i] += rows * std::abs(group.y_grad[i]);
    }
  }
  std::vector<Expected> results{x_grad};
  if (norm.has_scale) results.push_back(scale_grad);
  if (norm.has_bias) results.push_back(bias_grad);
  return results;
}

void add_optional(const Norm& norm, DType dtype, std::vector<Input>* inputs) {
  if (norm.has_scale) inputs->push_back({dtype, norm.columns(), uniform(-2, 2)});
  if (norm.has_bias) inputs->push_back({dtype, norm.columns(), uniform(-2, 2)});
}

// With the statistics as outputs, through which no gradient goes, or the result alone.
Case forward_case(DType dtype, const Norm& norm, const Generator& values, bool differentiate) {
  std::vector<Input> inputs{{dtype, norm.x, values}};
  add_optional(norm, dtype, &inputs);
  Case made{.op = "layer_norm",
            .variant = norm.variant() + (differentiate ? ", gradient" : ""),
            .inputs = inputs,
            .build = nullptr};
  made.build = [=](const Variables& in) {
    const Optional<Variables> given(norm, in, 1);
    if (differentiate) {
      return Variables{layer_norm(in[0], given.scale, given.bias, norm.axis, norm.epsilon)};
    }
    return OpCall<Variable>("layer_norm")
        .input("x", in[0])
        .input("scale", given.scale)
        .input("bias", given.bias)
        .attr("begin_norm_axis", std::int64_t{norm.axis})
        .attr("epsilon", norm.epsilon)
        .results();
  };
  made.reference = [=](const Arrays& in) {
    std::vector<Expected> results = forward_reference(norm, in);
    if (differentiate) results.resize(1);
    return results;
  };
  if (differentiate) {
    for (std::size_t i = 0; i < inputs.size(); ++i) made.differentiate.push_back(i);
  }
  return made;
}

// Any statistics will do: the gradient takes them as they are. Linear in y_grad, which is the
// argument that is differentiated.
Case grad_case(DType dtype, const Norm& norm) {
  const DType statistics = statistics_dtype(dtype);
  std::vector<Input> inputs{{dtype, norm.x, uniform(-2, 2)},
                            {statistics, norm.rows(), uniform(-0.5L, 0.5L)},
                            {statistics, norm.rows(), uniform(0.5L, 2)},
                            {dtype, norm.x, uniform(-1, 1)}};
  add_optional(norm, dtype, &inputs);
  const bool small = norm.x.numel() > 0 && norm.x.numel() < 500;
  return {.op = "layer_norm_grad",
          .variant = norm.variant(),
          .inputs = inputs,
          .build =
              [=](const Variables& in) {
                const Optional<Variables> given(norm, in, 4);
                return OpCall<Variable>("layer_norm_grad")
                    .input("x", in[0])
                    .input("mean", in[1])
                    .input("inv_std", in[2])
                    .input("y_grad", in[3])
                    .input("scale", given.scale)
                    .input("bias", given.bias)
                    .attr("begin_norm_axis", std::int64_t{norm.axis})
                    .results();
              },
          .reference = [=](const Arrays& in) { return grad_reference(norm, in); },
          .differentiate = small ? std::vector<std::size_t>{3} : std::vector<std::size_t>{}};
}

const Norm kNorms[] = {
    {{1}, 0},
    {{7}, 0},
    {{3, 1}, 1},
    {{3, 5}, 1},
    {{3, 5}, 0},
    {{2, 3, 4}, 1},
    {{2, 3, 4}, 2, true, false},
    {{2, 3, 4}, 2, false, true},
    {{2, 3, 4}, 1, false, false, 0.125},
    {{2, 3, 4, 5}, 3},
    {{0, 3}, 1},
    {{3, 0}, 1},
    {{5, 33}, 1, true, true, 1e-3},
    {{37, 100}, 1},
    {{65, 257}, 1},
    {{5, 48}, 1},
    {{3, 1032}, 1},
    {{3, 4099}, 1, false, false},
};

}  // namespace

void add_layer_norm_cases(Suite& suite) {
  for (const DType dtype : kFloatTypes) {
    for (const Norm& norm : kNorms) {
      suite.add(forward_case(dtype, norm, uniform(-2, 2), /*differentiate=*/false));
      suite.add(grad_case(dtype, norm));
      if (norm.x.numel() == 0 || norm.x.numel() > 200) continue;
      suite.add(forward_case(dtype, norm, uniform(-2, 2), /*differentiate=*/true));
    }
    // The difference of the squares' mean and the mean's square would have no digit left.
    const Norm far{{4, 33}, 1, true, true, 1e-5, ", far from 0"};
    suite.add(forward_case(dtype, far, uniform(1000, 1001), /*differentiate=*/false));
    // A row of equal elements has a variance of 0.
    const Norm equal{{2, 6}, 1, true, true, 1e-5, ", equal elements"};
    suite.add(forward_case(dtype, equal, cycle({3}), /*differentiate=*/false));
  }
}

}  // namespace loci::conformance
