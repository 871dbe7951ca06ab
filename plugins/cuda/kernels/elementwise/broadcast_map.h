// The launch of a function of elements whose operands are broadcast together.
#pragma once

#include <algorithm>
#include <array>
#include <loci/plugin/broadcast.hpp>
#include <utility>

#include "kernels/launch/axes.h"
#include "kernels/launch/kernel_function.h"

namespace loci::cuda {

static_assert(kMostAxes == LOCI_MAX_RANK);

// The result may have no elements. Without a dimension there is one row, of one element.
template <std::size_t operands>
BroadcastAxes<operands> innermost_first(const sdk::AxisListOf<operands>& list) {
  BroadcastAxes<operands> axes{list.count, std::max(list.rank, 1), {}};
  axes.axes[0].extent = 1;
  for (int i = 0; i < list.rank; ++i) {
    const auto from = static_cast<std::size_t>(list.rank - 1 - i);
    Axis<operands>& axis = axes.axes[i];
    axis.extent = list.extents[from];
    axis.by_extent = fast_division_by(axis.extent);
    std::copy(list.strides[from].begin(), list.strides[from].end(), axis.steps);
  }
  return axes;
}

// Its parameters are the output, the axes and the operands.
template <std::size_t operands>
struct BroadcastMap {
  void launch(const sdk::Launch& launch) const {
    launch_with(launch, std::make_index_sequence<operands>());
  }

  template <std::size_t... o>
  void launch_with(const sdk::Launch& launch, std::index_sequence<o...> /*operands*/) const {
    function.launch(launch, items, launch.output<void>(0), axes, launch.input<void>(inputs[o])...);
  }

  KernelFunction function;
  std::int64_t items;
  std::array<std::uint32_t, operands> inputs;
  BroadcastAxes<operands> axes;
};

// Operand i is the input of slot inputs[i]. A thread's item is `lanes` elements.
template <std::size_t operands>
void emplace_broadcast_map(sdk::Prepare& prepare, KernelFunction function, std::int64_t lanes,
                           const std::array<std::uint32_t, operands>& inputs) {
  const sdk::OpDesc& op = prepare.op();
  std::array<sdk::Dims, operands> dims;
  std::array<std::uint32_t, operands> arguments;
  for (std::size_t i = 0; i < operands; ++i) {
    dims[i] = op.input(inputs[i]).dims();
    arguments[i] = op.input_index(inputs[i]);
  }
  const auto axes = innermost_first(sdk::broadcast_axes<operands>(dims, op.output(0).dims()));
  prepare.emplace<BroadcastMap<operands>>(std::move(function), (axes.count + lanes - 1) / lanes,
                                          arguments, axes);
}

}  // namespace loci::cuda
