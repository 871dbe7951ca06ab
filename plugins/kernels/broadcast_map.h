// A function of each group of elements that broadcasting brings together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <utility>

#include "plugins/kernels/broadcast.h"
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

// Op: `static Out apply(In...)`, always inline. The output may be an input, element for element.
// `picoseconds` is what one element costs one thread.
template <class Op, std::int64_t picoseconds, class Out, class... In>
struct BroadcastMap {
  static constexpr std::size_t kOperands = sizeof...(In);

  void launch(const sdk::Launch& launch) const {
    launch_with(launch, std::index_sequence_for<In...>());
  }

  template <std::size_t... o>
  void launch_with(const sdk::Launch& launch, std::index_sequence<o...> /*operands*/) const {
    run_all(launch.output<Out>(0), launch.input<In>(o)...);
  }

  void run_all(Out* out, const In*... in) const {
    host->parallel_for(0, plan.count, grain_for(picoseconds),
                       [&](std::int64_t begin, std::int64_t end) {
                         if constexpr ((sdk::is_float<In> || ...)) {
                           run_widest([&](auto) LOCI_INLINE { run(begin, end, out, in...); });
                         } else {
                           run(begin, end, out, in...);
                         }
                       });
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
    for_each_row(plan, begin, end, row);
  }

  // Decides for one operand after the other whether it advances.
  template <bool... advances>
  LOCI_INLINE void run_row(std::integer_sequence<bool, advances...> /*known*/, std::int64_t count,
                           Out* out, const In*... in) const {
    if constexpr (sizeof...(advances) == kOperands) {
      run_loop(count, out, RowOperand<advances, In>(in)...);
    } else if (plan.advances[sizeof...(advances)]) {
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
  BroadcastPlanOf<kOperands> plan;
};

// The same for a few elements in one row, without the cost of choosing.
template <class Op, class Out, class... In>
struct SmallBroadcastMap {
  static constexpr std::size_t kOperands = sizeof...(In);

  void launch(const sdk::Launch& launch) const {
    launch_with(launch, std::index_sequence_for<In...>());
  }

  template <std::size_t... o>
  void launch_with(const sdk::Launch& launch, std::index_sequence<o...> /*operands*/) const {
    run_all(launch.output<Out>(0), std::index_sequence<o...>(), launch.input<In>(o)...);
  }

  template <std::size_t... o>
  void run_all(Out* out, std::index_sequence<o...> /*operands*/, const In*... in) const {
    for (std::int64_t i = 0; i < count; ++i) out[i] = Op::apply(in[i * steps[o]]...);
  }

  std::int64_t count;
  std::array<std::int64_t, kOperands> steps;
};

// Prepares one of the two. The plan is that of the operator's inputs and its output.
template <class Op, std::int64_t picoseconds, class Out, class... In>
void emplace_broadcast_map(sdk::Prepare& prepare, const BroadcastPlanOf<sizeof...(In)>& plan) {
  if (!plan.is_one_row() || plan.count > kSmallCount) {
    prepare.emplace<BroadcastMap<Op, picoseconds, Out, In...>>(&prepare.host(), plan);
    return;
  }
  std::array<std::int64_t, sizeof...(In)> steps{};
  for (std::size_t o = 0; o < steps.size(); ++o) steps[o] = plan.advances[o] ? 1 : 0;
  prepare.emplace<SmallBroadcastMap<Op, Out, In...>>(plan.count, steps);
}

}  // namespace loci::kernels
