#include "framework/ops/epilogue_rules.h"

#include <algorithm>
#include <iterator>
#include <loci/ops.hpp>
#include <loci/plugin/elementwise_functions.hpp>
#include <string_view>

namespace loci::ops {
namespace {

#define LOCI_NAME(op, Function) , #op
constexpr std::string_view kActivations[] = {"none" LOCI_ACTIVATIONS(LOCI_NAME)};
#undef LOCI_NAME

}  // namespace

OpSchema& add_activation(OpSchema& schema) {
  return schema.attr("activation", std::string("none"), "the function of each result at the end")
      .one_of({std::begin(kActivations), std::end(kActivations)});
}

std::string activation_name(const std::string& type, const Attributes& attributes) {
  if (type == "gelu") return std::get<bool>(attributes.at("approximate")) ? "gelu_tanh" : "gelu";
  const auto* const end = std::end(kActivations);
  return std::find(std::begin(kActivations) + 1, end, type) == end ? "" : type;
}

Value activated(const DecomposeContext& ctx, const Value& x) {
  const auto& activation = ctx.attr<std::string>("activation");
  if (activation == "none") return x;
  if (activation == "gelu" || activation == "gelu_tanh") return gelu(x, activation != "gelu");
  return OpCall<Value>(activation).input("x", x).result();
}

}  // namespace loci::ops
