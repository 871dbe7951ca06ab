#include "framework/ops/epilogue_rules.h"

#include <loci/ops.hpp>

namespace loci::ops {

OpSchema& add_activation(OpSchema& schema) {
  return schema.attr("activation", std::string("none"))
      .one_of(
          {"none", "relu", "sigmoid", "tanh", "gelu", "gelu_tanh", "hard_sigmoid", "hard_swish"});
}

std::string activation_name(const std::string& type, const Attributes& attributes) {
  if (type == "relu" || type == "sigmoid" || type == "tanh" || type == "hard_sigmoid" ||
      type == "hard_swish") {
    return type;
  }
  if (type != "gelu") return {};
  return std::get<bool>(attributes.at("approximate")) ? "gelu_tanh" : "gelu";
}

Value activated(const DecomposeContext& ctx, const Value& x) {
  const auto& activation = ctx.attr<std::string>("activation");
  if (activation == "none") return x;
  if (activation == "gelu" || activation == "gelu_tanh") return gelu(x, activation != "gelu");
  return OpCall<Value>(activation).input("x", x).result();
}

}  // namespace loci::ops
