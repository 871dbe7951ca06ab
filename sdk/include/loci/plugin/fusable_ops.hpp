// The ops that a step of fused_elementwise may be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/elementwise_functions.hpp>
#include <string_view>

namespace loci::sdk {

// The most steps and inputs of a fused_elementwise.
inline constexpr std::size_t kMostFusedSteps = 32;
inline constexpr std::size_t kMostFusedInputs = 16;

struct FusableOp {
  std::string_view name;
  std::uint32_t operands;
  // How many of them, from the first on, are broadcast together; the others have the shape of the
  // result.
  std::uint32_t broadcast;
  // The attributes of the op that are constants of the step, in this order: numbers, but for
  // "approximate", which is true where its constant is not 0.
  std::array<std::string_view, 2> constants{};

  [[nodiscard]] constexpr std::size_t constant_count() const {
    return constants[0].empty() ? 0 : constants[1].empty() ? 1 : 2;
  }
};

#define LOCI_FUSABLE_FUNCTION(op, Function) FusableOp{#op, 1, 0},
inline constexpr FusableOp kFusableOps[] = {
    LOCI_FLOAT_FUNCTIONS(LOCI_FUSABLE_FUNCTION)   //
    LOCI_NUMBER_FUNCTIONS(LOCI_FUSABLE_FUNCTION)  //
    {"cast", 1, 0},                               // to the dtype of the step
    {"clip", 1, 0, {"min", "max"}},
    {"clip_grad", 2, 0, {"min", "max"}},
    {"elementwise_add", 2, 2},
    {"elementwise_div", 2, 2},
    {"elementwise_max", 2, 2},
    {"elementwise_max_grad", 3, 2},
    {"elementwise_min", 2, 2},
    {"elementwise_min_grad", 3, 2},
    {"elementwise_mod", 2, 2},
    {"elementwise_mul", 2, 2},
    {"elementwise_pow", 2, 2},
    {"elementwise_sub", 2, 2},
    {"equal", 2, 2},
    {"gelu", 1, 0, {"approximate"}},
    {"gelu_grad", 2, 0, {"approximate"}},
    {"greater_equal", 2, 2},
    {"greater_than", 2, 2},
    {"less_equal", 2, 2},
    {"less_than", 2, 2},
    {"logical_and", 2, 2},
    {"logical_not", 1, 0},
    {"logical_or", 2, 2},
    {"logical_xor", 2, 2},
    {"not_equal", 2, 2},
    {"relu_grad", 2, 0},
    {"scale", 1, 0, {"scale", "bias"}},
    {"sigmoid_grad", 2, 0},
    {"tanh_grad", 2, 0},
    {"where", 3, 3},
};
#undef LOCI_FUSABLE_FUNCTION

// NULL if a step cannot be that op.
inline const FusableOp* find_fusable_op(std::string_view name) {
  for (const FusableOp& op : kFusableOps) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

}  // namespace loci::sdk
