// Recognisers ask a block here who computes a value, and what it is in terms of another one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "framework/passes/size_notes.h"
#include "framework/program/program_impl.h"

namespace loci::passes {

inline constexpr std::size_t kNoPosition = static_cast<std::size_t>(-1);

// factor * x + offset.
struct Linear {
  program::VarId x = program::kNoVar;
  double factor = 1;
  double offset = 0;
};

// x to the power `exponent`.
struct Power {
  program::VarId x = program::kNoVar;
  double exponent = 1;
};

// x reduced over these dimensions, ascending, which stay with an extent of 1.
struct Reduction {
  program::VarId x = program::kNoVar;
  std::vector<std::int64_t> axes;
};

// The coefficients by degree: p[0] + p[1] x + p[2] x^2 + p[3] x^3.
using Cubic = std::array<double, 4>;

// Each answer takes a bounded time, whatever the block is.
class Expressions {
 public:
  explicit Expressions(const program::Block& block, SizeNotes* sizes = nullptr);

  // The position of the operator that computes the value; kNoPosition for state, and for what the
  // block is given.
  [[nodiscard]] std::size_t position(program::VarId id) const;
  // Null if there is none, or it is none of that type.
  [[nodiscard]] const program::Operator* producer(program::VarId id) const;
  [[nodiscard]] const program::Operator* producer(program::VarId id, std::string_view type) const;
  [[nodiscard]] const ops::TensorType& type(program::VarId id) const { return block_.var(id).type; }
  [[nodiscard]] const Shape& shape(program::VarId id) const { return type(id).shape; }
  [[nodiscard]] int rank(program::VarId id) const { return shape(id).rank(); }
  // One that becomes part of the program.
  [[nodiscard]] std::int64_t written_extent(program::VarId id, int axis) const {
    if (sizes_ != nullptr) sizes_->only_for_extent(id, axis);
    return shape(id)[axis];
  }
  [[nodiscard]] bool has_fewer_than(program::VarId id, std::int64_t elements) const {
    return is_below(sizes_, id, shape(id), elements);
  }

  // The number that all elements are, if the program says it.
  [[nodiscard]] std::optional<double> constant(program::VarId id) const;
  // A value that one operator with a constant computes of a value of the same shape.
  [[nodiscard]] std::optional<Linear> linear_step(program::VarId id) const;
  // A value that a few such operators compute; the value itself if none does.
  [[nodiscard]] Linear linear(program::VarId id) const;
  // A value that such operators compute without adding anything; the value itself if none does.
  [[nodiscard]] Linear multiple(program::VarId id) const;
  // A power by square, sqrt, rsqrt, x * x, 1 / sqrt(x) or elementwise_pow with a constant.
  [[nodiscard]] std::optional<Power> power(program::VarId id) const;
  // A reduction by the op of that name, with its dimensions kept.
  [[nodiscard]] std::optional<Reduction> reduction(program::VarId id, std::string_view op) const;
  // The value as a polynomial of x, if it is one of degree 3 or less and not a long one.
  [[nodiscard]] std::optional<Cubic> cubic(program::VarId id, program::VarId x) const;

 private:
  [[nodiscard]] std::optional<Linear> with_constant(const program::Operator& op) const;
  [[nodiscard]] bool keeps_shape(const program::Operator& op, program::VarId x,
                                 program::VarId number) const;
  [[nodiscard]] std::optional<Power> power_by(const program::Operator& op) const;
  [[nodiscard]] std::optional<Cubic> cubic(program::VarId id, program::VarId x, int* steps) const;
  [[nodiscard]] std::optional<Cubic> cubic_of_two(const program::Operator& op, program::VarId x,
                                                  int* steps) const;

  const program::Block& block_;
  SizeNotes* sizes_;
  std::vector<std::size_t> positions_;  // of producers, by variable
};

// The first argument of the first slot, or the first of that one.
[[nodiscard]] program::VarId argument(const program::Operator& op, std::size_t slot = 0);
[[nodiscard]] program::VarId result(const program::Operator& op);

// Returns true if a number in a program is meant to be that one: it may have seven digits only.
[[nodiscard]] bool is_about(double number, double meant);

}  // namespace loci::passes
