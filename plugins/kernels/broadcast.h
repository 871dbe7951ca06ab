// NumPy broadcasting of a few dense operands, resolved once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/views.hpp>
#include <utility>

namespace loci::kernels {

// The result is walked row by row. Within a row, `inner` elements, each operand either advances by
// one per element or stays; from row to row it moves by the strides of the outer dimensions.
// Neighbouring dimensions that move alike are merged, so that equal shapes and a single number
// give one row.
template <std::size_t operands>
struct BroadcastPlanOf {
  static constexpr std::size_t kOperands = operands;

  std::int64_t count = 0;  // elements of the result
  std::int64_t inner = 1;
  std::array<bool, kOperands> advances{};
  int outer_rank = 0;
  std::array<std::int64_t, LOCI_MAX_RANK> extents{};
  std::array<std::array<std::int64_t, kOperands>, LOCI_MAX_RANK> strides{};

  [[nodiscard]] bool is_one_row() const { return outer_rank == 0; }
};

using BroadcastPlan = BroadcastPlanOf<2>;

// Shapes are aligned at their last dimension; each extent is 1 or that of `out`.
BroadcastPlan plan_broadcast(sdk::Dims x, sdk::Dims y, sdk::Dims out);
BroadcastPlanOf<3> plan_broadcast(sdk::Dims x, sdk::Dims y, sdk::Dims z, sdk::Dims out);

// Where the operands stand at the start of a row. Advances from row to row without dividing.
template <std::size_t operands>
class BroadcastRows {
 public:
  BroadcastRows(const BroadcastPlanOf<operands>& plan, std::int64_t row) : plan_(plan) {
    for (int axis = plan.outer_rank - 1; axis >= 0; --axis) {
      const auto i = static_cast<std::size_t>(axis);
      coordinates_[i] = row % plan.extents[i];
      row /= plan.extents[i];
      move(i, coordinates_[i]);
    }
  }

  [[nodiscard]] std::int64_t offset(std::size_t operand) const { return offsets_[operand]; }

  void next() {
    for (int axis = plan_.outer_rank - 1; axis >= 0; --axis) {
      const auto i = static_cast<std::size_t>(axis);
      move(i, 1);
      if (++coordinates_[i] < plan_.extents[i]) return;
      move(i, -coordinates_[i]);
      coordinates_[i] = 0;
    }
  }

 private:
  void move(std::size_t axis, std::int64_t steps) {
    for (std::size_t o = 0; o < operands; ++o) {
      offsets_[o] += steps * plan_.strides[axis][o];
    }
  }

  const BroadcastPlanOf<operands>& plan_;
  std::array<std::int64_t, LOCI_MAX_RANK> coordinates_{};
  std::array<std::int64_t, operands> offsets_{};
};

namespace detail {

template <std::size_t operands, class Row, std::size_t... o>
__attribute__((always_inline)) inline void for_each_row(const BroadcastPlanOf<operands>& plan,
                                                        std::int64_t begin, std::int64_t end,
                                                        const Row& row,
                                                        std::index_sequence<o...> /*operands*/) {
  BroadcastRows<operands> rows(plan, begin / plan.inner);
  std::int64_t skip = begin % plan.inner;
  while (begin < end) {
    const std::int64_t length = std::min(plan.inner - skip, end - begin);
    row(begin, rows.offset(o) + (plan.advances[o] ? skip : 0)..., length);
    begin += length;
    skip = 0;
    rows.next();
  }
}

}  // namespace detail

// Calls row(out_offset, x_offset, y_offset, ..., length) for the pieces of rows that make up the
// elements [begin, end) of the result.
template <std::size_t operands, class Row>
__attribute__((always_inline)) inline void for_each_row(const BroadcastPlanOf<operands>& plan,
                                                        std::int64_t begin, std::int64_t end,
                                                        const Row& row) {
  detail::for_each_row(plan, begin, end, row, std::make_index_sequence<operands>());
}

}  // namespace loci::kernels
