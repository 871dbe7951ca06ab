// attention.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <loci/ops.hpp>
#include <string>
#include <vector>

#include "tools/conformance/attention.h"
#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

constexpr Real kHidden = -std::numeric_limits<Real>::infinity();

// The first of so many.
std::vector<Real> hiding(std::size_t count, std::size_t hidden) {
  std::vector<Real> values(count, 0.5);
  std::fill_n(values.begin(), hidden, kHidden);
  return values;
}

std::string variant_of(const Attention& op) {
  return fmt::format(
      "heads {}{}{}{}", op.heads, op.factor != 0 ? fmt::format(" factor {}", op.factor) : "",
      op.mask ? " mask " + op.mask->to_string() : "", op.zero_hidden ? "" : " as softmax");
}

// Query, key, value and, if there is one, the mask.
std::vector<Input> inputs_of(DType dtype, const Attention& op) {
  std::vector<Input> inputs{
      {dtype, {op.batch, op.queries, op.heads * op.width}, uniform(-2, 2)},
      {dtype, {op.batch, op.keys, op.heads * op.width}, uniform(-2, 2)},
      {dtype, {op.batch, op.keys, op.heads * op.value_width}, uniform(-1, 1)}};
  if (op.mask) {
    inputs.push_back(
        {dtype, *op.mask, op.mask_values.empty() ? uniform(-1, 1) : cycle(op.mask_values)});
  }
  return inputs;
}

// Returns the numbers of the inputs that may be differentiated.
std::vector<std::size_t> differentiable(const Attention& op) {
  const bool is_small = op.batch * op.heads * op.queries * op.keys * op.width < 400;
  if (!is_small) return {};
  // A mask that adds the same to all scores of a query changes nothing: its gradient is the error
  // of a sum that cancels.
  const bool tells_keys = op.mask && op.mask->rank() > 0 && (*op.mask)[op.mask->rank() - 1] > 1;
  return tells_keys ? std::vector<std::size_t>{0, 1, 2, 3} : std::vector<std::size_t>{0, 1, 2};
}

Case attention_case(DType dtype, const Attention& op) {
  return {.op = "attention",
          .variant = variant_of(op),
          .inputs = inputs_of(dtype, op),
          .build =
              [=](const Variables& in) {
                return Variables{OpCall<Variable>("attention")
                                     .input("query", in[0])
                                     .input("key", in[1])
                                     .input("value", in[2])
                                     .input("mask", op.mask ? in[3] : Variable())
                                     .attr("heads", op.heads)
                                     .attr("factor", op.factor)
                                     .attr("zero_hidden", op.zero_hidden)
                                     .result()};
              },
          .reference = [=](const Arrays& in) { return std::vector{attended(op, in)}; },
          .differentiate = differentiable(op),
          .gradient_slack = 256};
}

Case gradient_case(DType dtype, const Attention& op) {
  Case result{.op = "attention_grad",
              .variant = variant_of(op),
              .inputs = inputs_of(dtype, op),
              .build =
                  [=](const Variables& in) {
                    return OpCall<Variable>("attention_grad")
                        .input("query", in[0])
                        .input("key", in[1])
                        .input("value", in[2])
                        .input("mask", op.mask ? in[3] : Variable())
                        .input("out_grad", in.back())
                        .attr("heads", op.heads)
                        .attr("factor", op.factor)
                        .attr("zero_hidden", op.zero_hidden)
                        .results();
                  },
              .reference = [=](const Arrays& in) { return attention_gradients(op, in); },
              .differentiate = differentiable(op),
              .gradient_slack = 1024};
  if (!result.differentiate.empty()) result.differentiate.push_back(result.inputs.size());
  result.inputs.push_back(
      {dtype, {op.batch, op.queries, op.heads * op.value_width}, uniform(-1, 1)});
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
      {2, 2, 3, 4, 16, 8, Shape{2, 1, 1, 4}, 0, hiding(8, 4), /*zero_hidden=*/false},
      // Every third query sees nothing; in spans of keys, and in tiles of many queries.
      {1, 2, 9, 40, 16, 16, Shape{9, 40}, 0, hiding(120, 40)},
      {1, 2, 3, 1100, 8, 8, Shape{3, 1}, 0, hiding(3, 1)},
      {1, 2, 130, 67, 20, 17, Shape{130, 67}, 0, hiding(201, 67)},
      {1, 2, 3, 20, 136, 8, Shape{3, 20}, 0, hiding(60, 20)},
  };
  for (const DType dtype : kFloatTypes) {
    for (const Attention& op : cases) {
      suite.add(attention_case(dtype, op));
      suite.add(gradient_case(dtype, op));
    }
  }
}

}  // namespace loci::conformance
