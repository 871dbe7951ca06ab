// Broadcasting of halves: blocks of rows as float32, so that they have no loops of their own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/broadcast.hpp>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <type_traits>
#include <utility>

#include "plugins/kernels/broadcast_map.h"
#include "plugins/kernels/half_convert.h"

namespace loci::kernels {

namespace detail {

template <std::size_t>
using FloatOperand = float;

// The map of float32 with as many operands.
template <class Op, std::int64_t picoseconds, class Out, std::size_t... o>
BroadcastMap<Op, picoseconds, Out, FloatOperand<o>...> float_map(std::index_sequence<o...>);

}  // namespace detail

// Op is one of floats, with a result of float, or bool if Out is. The output may be an input,
// element for element.
template <class Op, std::int64_t picoseconds, class Half, class Out, std::size_t operands>
struct HalfBroadcastMap {
  using WideOut = std::conditional_t<std::is_same_v<Out, bool>, bool, float>;
  using Wide =
      decltype(detail::float_map<Op, picoseconds, WideOut>(std::make_index_sequence<operands>()));
  using Sources = std::array<const Half*, operands>;
  static constexpr std::int64_t kBlock = 1024;
  // Rows of fewer elements are not worth a block.
  static constexpr std::int64_t kShort = 16;

  struct Blocks {
    alignas(64) float in[operands][kBlock];
    alignas(64) float out[kBlock];
  };

  void launch(const sdk::Launch& launch) const {
    launch_with(launch, std::make_index_sequence<operands>());
  }

  template <std::size_t... o>
  void launch_with(const sdk::Launch& launch, std::index_sequence<o...> /*operands*/) const {
    Out* out = launch.output<Out>(0);
    const Sources in{launch.input<Half>(inputs[o])...};
    wide.host->parallel_for(
        0, plan.count, grain_for(picoseconds + 200), [&](std::int64_t begin, std::int64_t end) {
          Blocks blocks;
          sdk::for_each_row(plan, begin, end, [&](std::int64_t to, auto... from_and_length) {
            const std::array<std::int64_t, operands + 1> from{from_and_length...};
            run_row(from[operands], out + to, {in[o] + from[o]...}, blocks,
                    std::index_sequence<o...>());
          });
        });
  }

  template <std::size_t... o>
  void run_row(std::int64_t count, Out* out, const Sources& in, Blocks& blocks,
               std::index_sequence<o...> operand) const {
    if (count < kShort) return run_short(count, out, in, operand);
    ((blocks.in[o][0] = static_cast<float>(*in[o])), ...);
    for (std::int64_t first = 0; first < count; first += kBlock) {
      const std::int64_t length = std::min(kBlock, count - first);
      for (std::size_t i = 0; i < operands; ++i) {
        if (plan.advances[i]) widen(in[i] + first, blocks.in[i], length);
      }
      if constexpr (std::is_same_v<Out, bool>) {
        wide.run_range(0, length, out + first, blocks.in[o]...);
      } else {
        wide.run_range(0, length, blocks.out, blocks.in[o]...);
        narrow(blocks.out, out + first, length);
      }
    }
  }

  template <std::size_t... o>
  void run_short(std::int64_t count, Out* out, const Sources& in,
                 std::index_sequence<o...> /*operands*/) const {
    for (std::int64_t i = 0; i < count; ++i) {
      prevent_vectors(i);
      out[i] = Out(Op::apply(static_cast<float>(in[o][plan.advances[o] ? i : 0])...));
    }
  }

  OperandInputs<operands> inputs;
  sdk::BroadcastPlanOf<operands> plan;
  Wide wide;
};

// Does for halves what emplace_broadcast_map() does, by an op of floats.
template <class Op, std::int64_t picoseconds, class Half, class Out, std::size_t operands>
void emplace_half_broadcast_map(
    sdk::Prepare& prepare, const sdk::BroadcastPlanOf<operands>& plan,
    const OperandInputs<operands>& inputs = inputs_in_order<operands>()) {
  using Map = HalfBroadcastMap<Op, picoseconds, Half, Out, operands>;
  sdk::BroadcastPlanOf<operands> block;
  block.count = Map::kBlock;
  block.inner = Map::kBlock;
  block.advances = plan.advances;
  const typename Map::Wide wide{&prepare.host(), inputs, block};
  prepare.emplace<Map>(inputs, plan, wide);
}

}  // namespace loci::kernels
