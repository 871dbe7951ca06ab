// mma: D = A x B + C of one warp, 16 x 8 elements of which each lane holds four.
//
// A lane belongs to a group of four, which holds the same rows of A and C and the same column of B.
// Products are exact and summed in double precision, which holds integers exactly, and the sum is
// rounded once: a device's last bits of floating point differ.
#include <array>

#include "tools/cuda_double/ptx/instructions/matrix.h"
#include "tools/cuda_double/ptx/instructions/matrix_elements.h"

namespace loci::cuda_double {
namespace {

constexpr std::uint32_t kResults = 4;  // elements of a lane
constexpr std::uint32_t kRows = 16;
constexpr std::uint32_t kColumns = 8;

// The make-up of a product. A register of A or B holds elements of one row or column; four lanes
// hold those next to each other, and the next register of a lane goes on behind them.
template <class LeftType, class RightType, class SumsType, std::uint32_t kStepCount>
struct Shape {
  using Left = Elements<LeftType>;
  using Right = Elements<RightType>;
  using Sums = SumsType;
  static constexpr std::uint32_t kSteps = kStepCount;
  static constexpr std::uint32_t kWidth = 4 * Left::kCount;  // of a step
  static constexpr std::uint32_t kDepth = kSteps * kWidth;
  static constexpr std::uint32_t kLeft = 2 * kSteps;  // registers of A, of B kSteps
  static constexpr std::uint32_t kFactors = kLeft + kSteps;
  static constexpr std::uint32_t kSums = kResults / Sums::kPerRegister;  // registers of C and D
  static constexpr std::uint32_t kSources = kFactors + kSums;
};

// Row of an element of the result that a lane holds, and column.
std::uint32_t row_of(std::uint32_t lane, std::uint32_t result) { return lane / 4 + result / 2 * 8; }
std::uint32_t column_of(std::uint32_t lane, std::uint32_t result) {
  return lane % 4 * 2 + result % 2;
}

template <class Of>
struct Operands {
  std::array<std::array<double, Of::kDepth>, kRows> left;
  std::array<std::array<double, Of::kDepth>, kColumns> right;  // by columns

  Operands(const Warp& warp, const Instruction& instruction) {
    for (std::uint32_t number = 0; number < Of::kFactors; ++number) {
      const auto* values = warp.source<std::uint32_t>(instruction, number);
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) put(number, lane, values[lane]);
    }
  }

 private:
  void put(std::uint32_t number, std::uint32_t lane, std::uint32_t bits) {
    const bool is_left = number < Of::kLeft;
    const std::uint32_t step = is_left ? number / 2 : number - Of::kLeft;
    auto& line = is_left ? left[lane / 4 + number % 2 * 8] : right[lane / 4];
    for (std::uint32_t i = 0; i < Of::Left::kCount; ++i) {
      line[step * Of::kWidth + lane % 4 * Of::Left::kCount + i] =
          is_left ? Of::Left::at(bits, i) : Of::Right::at(bits, i);
    }
  }
};

// Lanes whose values in the register come into the result of the lane.
LaneMask lanes_of_row(std::uint32_t row) { return LaneMask{0xf} << (row % 8 * 4); }
LaneMask lanes_of_column(std::uint32_t column) { return LaneMask{0xf} << (column * 4); }

// Those that the register `number` has for the element `result` of the lane.
template <class Of>
LaneMask lanes_asked(std::uint32_t number, std::uint32_t lane, std::uint32_t result) {
  if (number >= Of::kFactors) {
    const bool is_its_own = number - Of::kFactors == result / Of::Sums::kPerRegister;
    return is_its_own ? LaneMask{1} << lane : 0;
  }
  if (number >= Of::kLeft) return lanes_of_column(column_of(lane, result));
  return number % 2 == result / 2 ? lanes_of_row(row_of(lane, result)) : 0;
}

// Adds what comes from undefined values to the state of the element's register.
template <class Of>
void add_state(RegisterState& all, const Warp& warp, const Instruction& instruction,
               std::uint32_t result) {
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    for (std::uint32_t number = 0; number < Of::kSources; ++number) {
      const RegisterState* state = warp.state(instruction.operands[instruction.results + number]);
      if (state == nullptr) continue;
      if ((state->undefined & lanes_asked<Of>(number, lane, result)) == 0) continue;
      all.undefined |= LaneMask{1} << lane;
      all.origin = state->origin;
    }
  }
  all.computed = all.undefined;
}

bool has_undefined_source(const Warp& warp, const Instruction& instruction) {
  for (unsigned number = 0; number < instruction.sources; ++number) {
    const RegisterState* state = warp.state(instruction.operands[instruction.results + number]);
    if (state != nullptr && state->undefined != 0) return true;
  }
  return false;
}

// Before the results are written, for they may lie where C does.
template <class Of>
void set_states(Warp& warp, const Instruction& instruction) {
  std::array<RegisterState, Of::kSums> states{};
  const bool any = has_undefined_source(warp, instruction);
  for (std::uint32_t result = 0; any && result < kResults; ++result) {
    add_state<Of>(states[result / Of::Sums::kPerRegister], warp, instruction, result);
  }
  for (std::uint32_t number = 0; number < Of::kSums; ++number) {
    *warp.state(instruction.operands[number]) = states[number];
  }
}

template <class Of>
double sum_of(const Operands<Of>& operands, double addend, std::uint32_t lane,
              std::uint32_t result) {
  const auto& row = operands.left[row_of(lane, result)];
  const auto& column = operands.right[column_of(lane, result)];
  for (std::uint32_t k = 0; k < Of::kDepth; ++k) addend += row[k] * column[k];
  return addend;
}

template <class Of>
void multiply(Warp& warp, const Instruction& instruction, LaneMask mask) {
  using Sums = typename Of::Sums;
  constexpr std::uint32_t kBits = 32 / Sums::kPerRegister;
  require_whole_warp(warp, mask);
  if (warp.tracks_undefined) set_states<Of>(warp, instruction);
  const Operands<Of> operands(warp, instruction);
  std::array<std::array<std::uint32_t, kLanes>, Of::kSums> results{};
  for (std::uint32_t result = 0; result < kResults; ++result) {
    const std::uint32_t number = result / Sums::kPerRegister;
    const std::uint32_t which = result % Sums::kPerRegister;
    const auto* addends = warp.source<std::uint32_t>(instruction, Of::kFactors + number);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const double addend = Sums::at(addends[lane], which);
      results[number][lane] |= Sums::bits(sum_of(operands, addend, lane, result))
                               << (kBits * which);
    }
  }
  for (std::uint32_t number = 0; number < Of::kSums; ++number) {
    auto* to = warp.result<std::uint32_t>(instruction, number);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) to[lane] = results[number][lane];
  }
}

struct Product {
  Handler handler = nullptr;
  std::uint32_t steps = 0;
  std::uint32_t sums = 0;  // registers of C and D
  ScalarType sum_type = ScalarType::kF32;
};

template <class Of>
Product made_of() {
  return {multiply<Of>, Of::kSteps, Of::kSums, Of::Sums::kType};
}

template <class Left, class Right, class Sums>
Product product_of(std::uint32_t depth) {
  using One = Shape<Left, Right, Sums, 1>;
  using Two = Shape<Left, Right, Sums, 2>;
  if (depth == One::kDepth) return made_of<One>();
  return depth == Two::kDepth ? made_of<Two>() : Product{};
}

std::uint32_t take_depth(Form& form) {
  if (form.take("m16n8k4")) return 4;
  if (form.take("m16n8k8")) return 8;
  if (form.take("m16n8k16")) return 16;
  return form.take("m16n8k32") ? 32 : 0;
}

// The next modifier has to be this one: types come in the order D, A, B, C.
void require_next(Form& form, std::string_view modifier) {
  if (form.rest() != modifier) form.unsupported();
  static_cast<void>(form.take(modifier));
}

// Takes the next modifier, the type of A or B.
std::string_view take_next(Form& form) {
  const std::string_view type = form.rest();
  static_cast<void>(form.take(type));
  return type;
}

template <class Left, class Sums>
Product product_by(std::string_view right, std::uint32_t depth) {
  if (right == "s8") return product_of<Left, std::int8_t, Sums>(depth);
  return right == "u8" ? product_of<Left, std::uint8_t, Sums>(depth) : Product{};
}

template <class Sums>
Product product_of_bytes(Form& form, std::uint32_t depth) {
  const std::string_view left = take_next(form);
  const std::string_view right = take_next(form);
  if (left == "s8") return product_by<std::int8_t, Sums>(right, depth);
  return left == "u8" ? product_by<std::uint8_t, Sums>(right, depth) : Product{};
}

Product product_of_floats(Form& form, std::uint32_t depth) {
  const std::string_view type = take_next(form);
  require_next(form, type);
  if (type == "f16") return product_of<Half, Half, FloatSums>(depth);
  if (type == "bf16") return product_of<Bf16, Bf16, FloatSums>(depth);
  return type == "tf32" ? product_of<Tf32, Tf32, FloatSums>(depth) : Product{};
}

Product product_of_halves(Form& form, std::uint32_t depth) {
  require_next(form, "f16");
  require_next(form, "f16");
  return product_of<Half, Half, HalfSums>(depth);
}

// Chooses the product by the types of D, A, B and C.
Product take_product(Form& form, std::uint32_t depth) {
  const bool saturates = form.take("satfinite");
  const std::string_view sums = take_next(form);
  Product product;
  if (sums == "s32" && saturates) product = product_of_bytes<IntegerSums<true>>(form, depth);
  if (sums == "s32" && !saturates) product = product_of_bytes<IntegerSums<false>>(form, depth);
  if (sums == "f32" && !saturates) product = product_of_floats(form, depth);
  if (sums == "f16" && !saturates) product = product_of_halves(form, depth);
  if (product.handler == nullptr) form.unsupported();
  require_next(form, sums);
  form.finish();
  return product;
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
  const Product product = take_product(form, depth);
  translator.expect_operands(4);
  InstructionBuilder builder = translator.build(product.handler);
  for (const OperandSyntax& part : matrix_registers(translator, 0, product.sums)) {
    builder.result(part, product.sum_type);
  }
  add_parts(translator, builder, 1, std::size_t{2} * product.steps, ScalarType::kB32);
  add_parts(translator, builder, 2, product.steps, ScalarType::kB32);
  add_parts(translator, builder, 3, product.sums, product.sum_type);
  builder.flow(DataFlow::kOwn).emit();
}

}  // namespace loci::cuda_double
