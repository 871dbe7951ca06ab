// fused_conv2d.
#include <fmt/format.h>

#include <loci/ops.hpp>
#include <loci/plugin/activation.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "tools/conformance/activations.h"
#include "tools/conformance/case.h"
#include "tools/conformance/convolution.h"

namespace loci::conformance {
namespace {

struct FusedConv {
  Convolution conv;
  bool norm = false;
  bool residual = false;
  std::string activation = "none";
};

constexpr double kEpsilon = 1e-3;

// The inputs of the op that come after image and filter.
struct AddedToConvolution {
  explicit AddedToConvolution(const FusedConv& op) {
    std::size_t next = op.conv.bias ? 3 : 2;
    if (op.norm) norm = std::exchange(next, next + 4);
    if (op.residual) residual = next;
  }
  std::size_t norm = 0;  // the first of scale, shift, mean and variance; 0: none
  std::size_t residual = 0;
};

// c * a + (shift - mean * a), the errors of a being those of a sum, a root and a quotient.
Bounded normalised(const Bounded& c, const Arrays& in, std::size_t first, std::size_t channel) {
  const Real scale = in[first].values[channel];
  const Real shift = in[first + 1].values[channel];
  const Real mean = in[first + 2].values[channel];
  const Real factor = scale / std::sqrt(in[first + 3].values[channel] + Real{kEpsilon});
  const Real offset = std::abs(mean * factor);
  return {c.value * factor + (shift - mean * factor), c.slack * std::abs(factor) +
                                                          5 * std::abs(c.value * factor) +
                                                          6 * offset + 2 * std::abs(shift)};
}

Expected reference(const FusedConv& op, const Arrays& in) {
  Expected out = convolution(op.conv, in);
  const AddedToConvolution added(op);
  const auto plane = static_cast<std::size_t>(out.shape[2] * out.shape[3]);
  const auto channels = static_cast<std::size_t>(out.shape[1]);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Bounded value{out.values[i], out.slack[i]};
    if (op.norm) value = normalised(value, in, added.norm, i / plane % channels);
    if (op.residual) {
      const Real term = in[added.residual].values[i];
      value = {value.value + term, value.slack + std::abs(value.value) + std::abs(term)};
    }
    const Bounded last = activated(op.activation, value);
    out.values[i] = last.value;
    out.slack[i] = last.slack;
  }
  return out;
}

Variables build(const FusedConv& op, const Variables& in) {
  const AddedToConvolution added(op);
  const Conv2dOptions& options = op.conv.options;
  OpCall<Variable> call("fused_conv2d");
  call.input("x", in[0]).input("filter", in[1]);
  if (op.conv.bias) call.input("bias", in[2]);
  if (op.norm) {
    call.input("scale", in[added.norm]).input("shift", in[added.norm + 1]);
    call.input("mean", in[added.norm + 2]).input("variance", in[added.norm + 3]);
  }
  if (op.residual) call.input("residual", in[added.residual]);
  return call.attr("strides", options.strides)
      .attr("paddings", options.paddings)
      .attr("dilations", options.dilations)
      .attr("groups", options.groups)
      .attr("padding_algorithm", options.padding_algorithm)
      .attr("epsilon", kEpsilon)
      .attr("activation", op.activation)
      .results();
}

Case fused_case(DType dtype, const FusedConv& op) {
  const Shape channels{op.conv.filter[0]};
  const DType statistics = dtype == kFloat64 ? kFloat64 : kFloat32;
  Case result{
      .op = "fused_conv2d",
      .variant = fmt::format("{}{}{}{} {}", op.conv.variant, op.conv.bias ? " bias" : "",
                             op.norm ? " norm" : "", op.residual ? " residual" : "", op.activation),
      .inputs = {{dtype, op.conv.x, uniform(-1, 1)}, {dtype, op.conv.filter, uniform(-1, 1)}},
      .build = [=](const Variables& in) { return build(op, in); },
      .reference = [=](const Arrays& in) { return std::vector{reference(op, in)}; }};
  if (op.conv.bias) result.inputs.push_back({dtype, channels, uniform(-1, 1)});
  if (op.norm) {
    for (int i = 0; i < 2; ++i) result.inputs.push_back({dtype, channels, uniform(-1, 1)});
    result.inputs.push_back({statistics, channels, uniform(-1, 1)});
    result.inputs.push_back({statistics, channels, uniform(0, 2)});
  }
  if (op.residual) result.inputs.push_back({dtype, result_shape(op.conv), uniform(-1, 1)});
  return result;
}

// Products of the filters and each image.
void add_pointwise_cases(Suite& suite, DType dtype) {
  const Convolution plain{{2, 8, 6, 4}, {12, 8, 1, 1}, {}, false, "pointwise"};
  const Convolution biased{{3, 5, 3, 5}, {7, 5, 1, 1}, {}, true, "pointwise"};
  const FusedConv cases[] = {{plain, false, false, "relu"},
                             {plain, false, true, "relu"},
                             {plain, false, true, "hard_swish"},
                             {biased, false, false, "relu"},
                             {biased, true, true, "gelu"}};
  for (const FusedConv& op : cases) suite.add(fused_case(dtype, op));
}

}  // namespace

void add_fused_conv2d_cases(Suite& suite) {
  const Convolution small{{2, 3, 5, 4}, {4, 3, 3, 2}, {}, false, "plain"};
  const Convolution biased{{2, 3, 5, 4}, {4, 3, 3, 2}, {}, true, "plain"};
  const Convolution groups{
      {2, 4, 5, 5}, {6, 2, 3, 3}, {.paddings = {1, 1}, .groups = 2}, true, "groups"};
  const Convolution large{{2, 16, 17, 19}, {32, 16, 3, 3}, {.paddings = {1, 1}}, false, "large"};
  const Convolution large_biased{
      {2, 16, 17, 19}, {32, 16, 3, 3}, {.paddings = {1, 1}}, true, "large"};
  const Convolution strided{
      {1, 16, 33, 70}, {24, 16, 3, 3}, {.strides = {2, 1}, .paddings = {1, 1}}, true, "strided"};
  const Convolution none{{0, 2, 5, 5}, {3, 2, 3, 3}, {}, true, "no images"};
  const FusedConv cases[] = {
      {small, true},
      {small, false, true, "relu"},
      {small, false, false, "relu"},
      {biased, true, true, "relu"},
      {biased, false, false, "gelu"},
      {groups, true, true, "sigmoid"},
      {groups, false, false, "hard_swish"},
      {large, true, true, "relu"},
      {large, true, false, "tanh"},
      {large_biased, false, false, "relu"},
      {large_biased, true, false, "hard_sigmoid"},
      {large_biased, true, true, "gelu"},
      {large_biased, false, true, "none"},
      {strided, true, true, "gelu_tanh"},
      {strided, false, false, "relu"},
      {none, true, true, "relu"},
  };
  // Winograd's method pays for these sizes.
  const Convolution many{
      {1, 32, 10, 11}, {36, 32, 3, 3}, {.paddings = {1, 1}}, true, "many channels"};
  const FusedConv transformed[] = {
      {many, true, true, "relu"}, {many, false, false, "gelu"}, {many, true, false, "none"}};
  for (const FusedConv& op : transformed) suite.add(fused_case(kFloat32, op));
  for (const DType dtype : kFloatTypes) {
    for (const FusedConv& op : cases) suite.add(fused_case(dtype, op));
    add_pointwise_cases(suite, dtype);
  }
  for (const std::string_view activation : sdk::kActivationNames) {
    for (Convolution each : {groups, large_biased}) {
      each.variant = each.options.groups == 1 ? "each" : "each of groups";
      suite.add(fused_case(kFloat32, {each, true, true, std::string(activation)}));
    }
  }
}

}  // namespace loci::conformance
