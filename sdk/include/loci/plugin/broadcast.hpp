// NumPy broadcasting of a few dense operands, resolved once.
//
// Shapes are aligned at their last dimension, and each extent of an operand is 1 or that of the
// result. Nothing here checks, allocates or keeps a pointer: a plan is plain data, made in prepare
// and read by any number of threads in a launch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/axis_walk.hpp>
#include <loci/plugin/dims.hpp>
#include <utility>

namespace loci::sdk {

namespace detail {

// Returns the extent of the dimension that is `from_end` before the last.
inline std::int64_t extent_from_end(Dims dims, std::size_t from_end) {
  return from_end < dims.size() ? dims[dims.size() - 1 - from_end] : 1;
}

template <std::size_t operands>
struct BroadcastAxis {
  std::int64_t extent;
  std::array<std::int64_t, operands> strides;

  // Returns true if `outer` goes on where this axis ends, in every operand.
  [[nodiscard]] bool continues_in(const BroadcastAxis& outer) const {
    for (std::size_t o = 0; o < operands; ++o) {
      if (outer.strides[o] != strides[o] * extent) return false;
    }
    return true;
  }
};

// The axes of a result that has elements, innermost first.
template <std::size_t operands>
struct BroadcastAxes {
  BroadcastAxes(const std::array<Dims, operands>& in, Dims out) {
    std::array<std::int64_t, operands> dense;
    dense.fill(1);
    for (std::size_t i = 0; i < out.size(); ++i) {
      BroadcastAxis<operands> axis{extent_from_end(out, i), {}};
      for (std::size_t o = 0; o < operands; ++o) {
        const std::int64_t extent = extent_from_end(in[o], i);
        axis.strides[o] = extent == 1 ? 0 : dense[o];
        dense[o] *= extent;
      }
      add(axis);
    }
  }

  void add(const BroadcastAxis<operands>& axis) {
    if (axis.extent == 1) return;
    if (rank > 0 && axes[rank - 1].continues_in(axis)) {
      axes[rank - 1].extent *= axis.extent;
    } else {
      axes[rank++] = axis;
    }
  }

  // All but the `skipped` innermost ones, outermost first.
  [[nodiscard]] AxisListOf<operands> list(std::size_t skipped) const {
    AxisListOf<operands> result;
    for (std::size_t i = rank; i-- > skipped;) result.push_back(axes[i].extent, axes[i].strides);
    return result;
  }

  std::size_t rank = 0;
  std::array<BroadcastAxis<operands>, LOCI_MAX_RANK> axes{};
};

}  // namespace detail

// The axes of the result, with the strides of the operands in elements. Extents of 1 are left out,
// and neighbours that go on in every operand are merged, so that equal shapes give one axis. With
// an empty result there is no position (count is 0).
template <std::size_t operands>
AxisListOf<operands> broadcast_axes(const std::array<Dims, operands>& in, Dims out) {
  if (numel_of(out) == 0) {
    AxisListOf<operands> none;
    none.count = 0;
    return none;
  }
  return detail::BroadcastAxes<operands>(in, out).list(0);
}

// The shape that two broadcast to.
inline DimList broadcast_dims(Dims x, Dims y) {
  DimList out;
  out.rank = std::max(x.size(), y.size());
  for (std::size_t i = 0; i < out.rank; ++i) {
    const std::int64_t left = detail::extent_from_end(x, i);
    out.extents[out.rank - 1 - i] = left == 1 ? detail::extent_from_end(y, i) : left;
  }
  return out;
}

// The result seen as rows: of `inner` elements, within which each operand either advances by one
// element for one, or stays; from row to row they move along `outer`.
template <std::size_t operands>
struct BroadcastPlanOf {
  static constexpr std::size_t kOperands = operands;

  std::int64_t count = 0;  // elements of the result
  std::int64_t inner = 1;
  std::array<bool, operands> advances{};
  AxisListOf<operands> outer;  // strides in elements

  [[nodiscard]] bool is_one_row() const { return outer.rank == 0; }
};

using BroadcastPlan = BroadcastPlanOf<2>;

template <std::size_t operands>
BroadcastPlanOf<operands> plan_broadcast(const std::array<Dims, operands>& in, Dims out) {
  BroadcastPlanOf<operands> plan;
  plan.count = numel_of(out);
  if (plan.count == 0) return plan;
  const detail::BroadcastAxes<operands> axes(in, out);
  if (axes.rank == 0) {
    plan.advances.fill(true);
    return plan;
  }
  const auto& row = axes.axes[0];
  plan.inner = row.extent;
  // Operands are dense, so that the stride of the innermost axis is 0 or 1.
  for (std::size_t o = 0; o < operands; ++o) plan.advances[o] = row.strides[o] != 0;
  plan.outer = axes.list(1);
  return plan;
}

inline BroadcastPlan plan_broadcast(Dims x, Dims y, Dims out) {
  return plan_broadcast<2>({x, y}, out);
}

inline BroadcastPlanOf<3> plan_broadcast(Dims x, Dims y, Dims z, Dims out) {
  return plan_broadcast<3>({x, y, z}, out);
}

namespace detail {

template <std::size_t operands, class Row, std::size_t... o>
__attribute__((always_inline)) inline void for_each_row(const BroadcastPlanOf<operands>& plan,
                                                        std::int64_t begin, std::int64_t end,
                                                        const Row& row,
                                                        std::index_sequence<o...> /*operands*/) {
  AxisWalkOf<operands> rows(plan.outer, begin / plan.inner);
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
// elements [begin, end) of the result, in order. Offsets are in elements. Inlined, so that a loop
// in `row` is compiled as part of the caller.
template <std::size_t operands, class Row>
__attribute__((always_inline)) inline void for_each_row(const BroadcastPlanOf<operands>& plan,
                                                        std::int64_t begin, std::int64_t end,
                                                        const Row& row) {
  detail::for_each_row(plan, begin, end, row, std::make_index_sequence<operands>());
}

}  // namespace loci::sdk
