// A function of each group of elements that broadcasting brings together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/broadcast.hpp>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <utility>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"

namespace loci::kernels {

// One operand within a row: it advances, or stays. What stays is read once, because `out` might
// seem to change it.
template <bool advances, class T>
class RowOperand {
 public:
  LOCI_INLINE explicit RowOperand(const T* data) : data_(data), first_(*data) {}
  LOCI_INLINE T operator[](std::int64_t i) const {
    if constexpr (advances) {
      return data_[i];
    } else {
      return first_;
    }
  }

 private:
  const T* data_;
  T first_;
};

// The inputs that are the operands, in their order.
template <std::size_t operands>
using OperandInputs = std::array<std::uint32_t, operands>;

template <std::size_t operands>
constexpr OperandInputs<operands> inputs_in_order() {
  OperandInputs<operands> inputs{};
  for (std::size_t o = 0; o < operands; ++o) inputs[o] = static_cast<std::uint32_t>(o);
  return inputs;
}

// How many of an op's operands may stay within a row. At least one of those advances; the rest, if
// the op says kMayStay, always do.
template <class Op, std::size_t operands>
constexpr std::size_t operands_that_may_stay() {
  if constexpr (requires { Op::kMayStay; }) {
    return Op::kMayStay;
  } else {
    return operands;
  }
}

// An op that no processor has vectors for: one instruction set does for all.
template <class Op>
concept IsSlow = requires {
  Op::kIsSlow;
};

// Op: `static Out apply(In...)`, always inline. The output may be an input, element for element.
// `picoseconds` is what one element costs one thread.
template <class Op, std::int64_t picoseconds, class Out, class... In>
struct BroadcastMap {
  static constexpr std::size_t kOperands = sizeof...(In);
  static constexpr std::size_t kMayStay = operands_that_may_stay<Op, kOperands>();

  void launch(const sdk::Launch& launch) const {
    launch_with(launch, std::index_sequence_for<In...>());
  }

  template <std::size_t... o>
  void launch_with(const sdk::Launch& launch, std::index_sequence<o...> /*operands*/) const {
    run_all(launch.output<Out>(0), launch.input<In>(inputs[o])...);
  }

  void run_all(Out* out, const In*... in) const {
    host->parallel_for(
        0, plan.count, grain_for(picoseconds),
        [&](std::int64_t begin, std::int64_t end) { run_range(begin, end, out, in...); });
  }

  // Elements [begin, end) of the result. Out of line: blocks of halves use it too.
  __attribute__((noinline)) void run_range(std::int64_t begin, std::int64_t end, Out* out,
                                           const In*... in) const {
    if constexpr ((sdk::is_float<In> || ...) && !IsSlow<Op>) {
      run_widest([&](auto) LOCI_INLINE { run(begin, end, out, in...); });
    } else {
      run(begin, end, out, in...);
    }
  }

  LOCI_INLINE void run(std::int64_t begin, std::int64_t end, Out* out, const In*... in) const {
    run_with(begin, end, out, std::index_sequence_for<In...>(), in...);
  }

  template <std::size_t... o>
  LOCI_INLINE void run_with(std::int64_t begin, std::int64_t end, Out* out,
                            std::index_sequence<o...> /*operands*/, const In*... in) const {
    const auto row = [&](std::int64_t to, auto... from_and_length) LOCI_INLINE {
      const std::array<std::int64_t, kOperands + 1> from{from_and_length...};
      run_row(std::integer_sequence<bool>(), from[kOperands], out + to, in + from[o]...);
    };
    sdk::for_each_row(plan, begin, end, row);
  }

  // Decides for one operand after the other whether it advances.
  template <bool... advances>
  LOCI_INLINE void run_row(std::integer_sequence<bool, advances...> /*known*/, std::int64_t count,
                           Out* out, const In*... in) const {
    constexpr std::size_t kKnown = sizeof...(advances);
    constexpr bool kIsLastChance = kKnown + 1 == kMayStay && !(advances || ...);
    if constexpr (kKnown == kOperands) {
      run_loop(count, out, RowOperand<advances, In>(in)...);
    } else if constexpr (kKnown >= kMayStay || kIsLastChance) {
      run_row(std::integer_sequence<bool, advances..., true>(), count, out, in...);
    } else if (plan.advances[kKnown]) {
      run_row(std::integer_sequence<bool, advances..., true>(), count, out, in...);
    } else {
      run_row(std::integer_sequence<bool, advances..., false>(), count, out, in...);
    }
  }

  template <class... Operand>
  LOCI_INLINE static void run_loop(std::int64_t count, Out* out, const Operand... in) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) out[i] = Op::apply(in[i]...);
  }

  const sdk::Host* host;
  OperandInputs<kOperands> inputs;
  sdk::BroadcastPlanOf<kOperands> plan;
};

// The steps of operands from element to element of a row.
template <std::size_t operands>
std::array<std::int64_t, operands> row_steps(const sdk::BroadcastPlanOf<operands>& plan) {
  std::array<std::int64_t, operands> steps{};
  for (std::size_t o = 0; o < operands; ++o) steps[o] = plan.advances[o] ? 1 : 0;
  return steps;
}

// Does the work of BroadcastMap in one loop, for an op that takes so long that how its operands are
// found does not count.
template <class Op, std::int64_t picoseconds, class Out, class... In>
struct SlowBroadcastMap {
  static constexpr std::size_t kOperands = sizeof...(In);

  void launch(const sdk::Launch& launch) const {
    launch_with(launch, std::index_sequence_for<In...>());
  }

  template <std::size_t... o>
  void launch_with(const sdk::Launch& launch, std::index_sequence<o...> operands) const {
    run_all(launch.output<Out>(0), operands, launch.input<In>(inputs[o])...);
  }

  template <std::size_t... o>
  void run_all(Out* out, std::index_sequence<o...> operands, const In*... in) const {
    const auto row = [&](std::int64_t to, auto... from_and_length) {
      const std::array<std::int64_t, kOperands + 1> from{from_and_length...};
      run_row(from[kOperands], out + to, operands, in + from[o]...);
    };
    host->parallel_for(
        0, plan.count, grain_for(picoseconds),
        [&](std::int64_t begin, std::int64_t end) { sdk::for_each_row(plan, begin, end, row); });
  }

  template <std::size_t... o>
  __attribute__((noinline)) void run_row(std::int64_t count, Out* out,
                                         std::index_sequence<o...> /*operands*/,
                                         const In*... in) const {
    const auto steps = row_steps(plan);
    for (std::int64_t i = 0; i < count; ++i) out[i] = Op::apply(in[i * steps[o]]...);
  }

  const sdk::Host* host;
  OperandInputs<kOperands> inputs;
  sdk::BroadcastPlanOf<kOperands> plan;
};

// Does the work of BroadcastMap for a few elements in one row, without the cost of choosing.
template <class Op, class Out, class... In>
struct SmallBroadcastMap {
  static constexpr std::size_t kOperands = sizeof...(In);

  void launch(const sdk::Launch& launch) const {
    launch_with(launch, std::index_sequence_for<In...>());
  }

  template <std::size_t... o>
  void launch_with(const sdk::Launch& launch, std::index_sequence<o...> /*operands*/) const {
    run_all(launch.output<Out>(0), std::index_sequence<o...>(), launch.input<In>(inputs[o])...);
  }

  template <std::size_t... o>
  void run_all(Out* out, std::index_sequence<o...> /*operands*/, const In*... in) const {
    for (std::int64_t i = 0; i < count; ++i) {
      if constexpr ((sdk::is_half<In> || ...)) prevent_vectors(i);
      out[i] = Op::apply(in[i * steps[o]]...);
    }
  }

  std::int64_t count;
  OperandInputs<kOperands> inputs;
  std::array<std::int64_t, kOperands> steps;
};

// Prepares the one that suits. The plan is that of the operands and the operator's output.
template <class Op, std::int64_t picoseconds, class Out, class... In>
void emplace_broadcast_map(
    sdk::Prepare& prepare, const sdk::BroadcastPlanOf<sizeof...(In)>& plan,
    const OperandInputs<sizeof...(In)>& inputs = inputs_in_order<sizeof...(In)>()) {
  if (plan.is_one_row() && plan.count <= kSmallCount) {
    prepare.emplace<SmallBroadcastMap<Op, Out, In...>>(plan.count, inputs, row_steps(plan));
  } else if constexpr (IsSlow<Op>) {
    prepare.emplace<SlowBroadcastMap<Op, picoseconds, Out, In...>>(&prepare.host(), inputs, plan);
  } else {
    prepare.emplace<BroadcastMap<Op, picoseconds, Out, In...>>(&prepare.host(), inputs, plan);
  }
}

}  // namespace loci::kernels
