// mma: D = A x B + C of one warp, 16 x 8 floats of which each lane holds four.
//
// A lane belongs to a group of four, which holds the same rows of A and C and the same column of B.
// Products are exact and summed in double precision, and the sum is rounded once: a device's last
// bits differ.
#include <array>
#include <bit>

#include "tools/cuda_double/ptx/instructions/matrix.h"
#include "tools/cuda_double/ptx/run/half.h"

namespace loci::cuda_double {
namespace {

constexpr std::uint32_t kResults = 4;  // registers of a lane
constexpr std::uint32_t kRows = 16;
constexpr std::uint32_t kColumns = 8;

// Of a register of four bytes.
template <class T>
struct Elements {
  static constexpr std::uint32_t kCount = 2;
  static double at(std::uint32_t bits, std::uint32_t which) {
    return to_float(T{static_cast<std::uint16_t>(bits >> (16 * which))});
  }
};
struct Tf32 {};
// A device ignores the low bits that the format has not.
template <>
struct Elements<Tf32> {
  static constexpr std::uint32_t kCount = 1;
  static double at(std::uint32_t bits, std::uint32_t /*which*/) {
    return std::bit_cast<float>(bits & 0xffffe000U);
  }
};

// A register holds elements of one row or column, at most two; four lanes hold those next to each
// other, and the next register of a lane goes on behind them.
template <class T, std::uint32_t kSteps>
struct Shape {
  static constexpr std::uint32_t kWidth = 4 * Elements<T>::kCount;  // of a step
  static constexpr std::uint32_t kDepth = kSteps * kWidth;
  static constexpr std::uint32_t kLeft = 2 * kSteps;  // registers of A, of B kSteps
  static constexpr std::uint32_t kSources = kLeft + kSteps + kResults;
};

// Row of a result, and column, of a lane's register.
std::uint32_t row_of(std::uint32_t lane, std::uint32_t result) { return lane / 4 + result / 2 * 8; }
std::uint32_t column_of(std::uint32_t lane, std::uint32_t result) {
  return lane % 4 * 2 + result % 2;
}

template <class T, std::uint32_t kSteps>
struct Operands {
  using Of = Shape<T, kSteps>;
  std::array<std::array<double, Of::kDepth>, kRows> left;
  std::array<std::array<double, Of::kDepth>, kColumns> right;  // by columns

  Operands(const Warp& warp, const Instruction& instruction) {
    for (std::uint32_t number = 0; number < Of::kLeft + kSteps; ++number) {
      const auto* values = warp.source<std::uint32_t>(instruction, number);
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) put(number, lane, values[lane]);
    }
  }

 private:
  void put(std::uint32_t number, std::uint32_t lane, std::uint32_t bits) {
    constexpr std::uint32_t kCount = Elements<T>::kCount;
    const bool is_left = number < Of::kLeft;
    const std::uint32_t step = is_left ? number / 2 : number - Of::kLeft;
    auto& line = is_left ? left[lane / 4 + number % 2 * 8] : right[lane / 4];
    for (std::uint32_t i = 0; i < kCount; ++i) {
      line[step * Of::kWidth + lane % 4 * kCount + i] = Elements<T>::at(bits, i);
    }
  }
};

// Lanes whose values in the register come into the result of the lane.
LaneMask lanes_of_row(std::uint32_t row) { return LaneMask{0xf} << (row % 8 * 4); }
LaneMask lanes_of_column(std::uint32_t column) { return LaneMask{0xf} << (column * 4); }

template <class T, std::uint32_t kSteps>
RegisterState state_of(const Warp& warp, const Instruction& instruction, std::uint32_t result) {
  using Of = Shape<T, kSteps>;
  RegisterState all;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    for (std::uint32_t number = 0; number < Of::kSources; ++number) {
      const RegisterState* state = warp.state(instruction.operands[instruction.results + number]);
      if (state == nullptr) continue;
      LaneMask asked = 0;
      if (number >= Of::kLeft + kSteps) {
        asked = number - Of::kLeft - kSteps == result ? LaneMask{1} << lane : 0;
      } else if (number >= Of::kLeft) {
        asked = lanes_of_column(column_of(lane, result));
      } else {
        asked = number % 2 == result / 2 ? lanes_of_row(row_of(lane, result)) : 0;
      }
      if ((state->undefined & asked) == 0) continue;
      all.undefined |= LaneMask{1} << lane;
      all.origin = state->origin;
    }
  }
  all.computed = all.undefined;
  return all;
}

bool has_undefined_source(const Warp& warp, const Instruction& instruction) {
  for (unsigned number = 0; number < instruction.sources; ++number) {
    const RegisterState* state = warp.state(instruction.operands[instruction.results + number]);
    if (state != nullptr && state->undefined != 0) return true;
  }
  return false;
}

// Before the results are written, for they may lie where C does.
template <class T, std::uint32_t kSteps>
void set_states(Warp& warp, const Instruction& instruction) {
  std::array<RegisterState, kResults> states{};
  const bool any = has_undefined_source(warp, instruction);
  for (std::uint32_t result = 0; any && result < kResults; ++result) {
    states[result] = state_of<T, kSteps>(warp, instruction, result);
  }
  for (std::uint32_t result = 0; result < kResults; ++result) {
    *warp.state(instruction.operands[result]) = states[result];
  }
}

template <class T, std::uint32_t kSteps>
void multiply(Warp& warp, const Instruction& instruction, LaneMask mask) {
  using Of = Shape<T, kSteps>;
  require_whole_warp(warp, mask);
  if (warp.tracks_undefined) set_states<T, kSteps>(warp, instruction);
  const Operands<T, kSteps> operands(warp, instruction);
  std::array<std::array<float, kLanes>, kResults> results;
  for (std::uint32_t result = 0; result < kResults; ++result) {
    const auto* addends = warp.source<float>(instruction, Of::kLeft + kSteps + result);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const auto& row = operands.left[row_of(lane, result)];
      const auto& column = operands.right[column_of(lane, result)];
      double sum = addends[lane];
      for (std::uint32_t k = 0; k < Of::kDepth; ++k) sum += row[k] * column[k];
      results[result][lane] = canonical(static_cast<float>(sum));
    }
  }
  for (std::uint32_t result = 0; result < kResults; ++result) {
    auto* to = warp.result<float>(instruction, result);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) to[lane] = results[result][lane];
  }
}

struct Product {
  Handler handler = nullptr;
  std::uint32_t steps = 0;
};

template <class T>
Product product_of(std::uint32_t depth) {
  if (depth == Shape<T, 1>::kDepth) return {multiply<T, 1>, 1};
  if (depth == Shape<T, 2>::kDepth) return {multiply<T, 2>, 2};
  return {};
}

std::uint32_t take_depth(Form& form) {
  if (form.take("m16n8k4")) return 4;
  if (form.take("m16n8k8")) return 8;
  return form.take("m16n8k16") ? 16 : 0;
}

// The next modifier has to be this one: types come in the order D, A, B, C.
void require_next(Form& form, std::string_view modifier) {
  if (form.rest() != modifier) form.unsupported();
  static_cast<void>(form.take(modifier));
}

void add_parts(Translator& translator, InstructionBuilder& builder, unsigned operand,
               std::size_t count, ScalarType type) {
  for (const OperandSyntax& part : matrix_registers(translator, operand, count)) {
    builder.source(part, type);
  }
}

}  // namespace

void translate_matrix_product(Translator& translator, Form& form) {
  const std::uint32_t depth = take_depth(form);
  if (depth == 0 || !form.take("row") || !form.take("col")) form.unsupported();
  require_next(form, "f32");
  const std::string_view type = form.rest();
  Product product;
  if (type == "f16") product = product_of<Half>(depth);
  if (type == "bf16") product = product_of<Bf16>(depth);
  if (type == "tf32") product = product_of<Tf32>(depth);
  if (product.handler == nullptr) form.unsupported();
  require_next(form, type);
  require_next(form, type);
  require_next(form, "f32");
  form.finish();
  translator.expect_operands(4);
  InstructionBuilder builder = translator.build(product.handler);
  for (const OperandSyntax& part : matrix_registers(translator, 0, kResults)) {
    builder.result(part, ScalarType::kF32);
  }
  add_parts(translator, builder, 1, std::size_t{2} * product.steps, ScalarType::kB32);
  add_parts(translator, builder, 2, product.steps, ScalarType::kB32);
  add_parts(translator, builder, 3, kResults, ScalarType::kF32);
  builder.flow(DataFlow::kOwn).emit();
}

}  // namespace loci::cuda_double
