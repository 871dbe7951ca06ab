// A function of each element, and of pairs of elements of equal shape.
#pragma once

#include <cstddef>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <utility>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/widened_rows.h"

namespace loci::kernels {

// Returns what one element costs one thread: Op says so if it does more than a few operations.
template <class Op, class In, class Out>
constexpr std::int64_t picoseconds_of() {
  if constexpr (requires { Op::kPicoseconds; }) {
    return Op::kPicoseconds;
  } else {
    return sdk::is_half<In> || sdk::is_half<Out> ? 250 : 40 * sizeof(Out);
  }
}

// Op: `Out operator()(In) const`, always inline, and perhaps `static std::int64_t lanes(Out*, const
// In*, std::int64_t count)`, which does the first elements of so many faster, and says how many.
// The output may be the input if both have one size.
template <class In, class Out, class Op>
struct Map {
  void launch(const sdk::Launch& launch) const {
    const In* x = launch.input<In>(0);
    Out* out = launch.output<Out>(0);
    if (count <= kSmallCount) return run(out, x, 0, count);
    host->parallel_for(0, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
      if constexpr (requires { Op::lanes(out, x, count); }) {
        begin += Op::lanes(out + begin, x + begin, end - begin);
      }
      if constexpr (sdk::is_float<In> && sdk::is_float<Out>) {
        run_widest([&](auto) LOCI_INLINE { run(out, x, begin, end); });
      } else {
        run(out, x, begin, end);
      }
    });
  }

  LOCI_INLINE void run(Out* out, const In* x, std::int64_t begin, std::int64_t end) const {
    const Op function = op;
#pragma omp simd
    for (std::int64_t i = begin; i < end; ++i) out[i] = function(x[i]);
  }

  static constexpr std::int64_t kGrain = grain_for(picoseconds_of<Op, In, Out>());
  const sdk::Host* host;
  std::int64_t count;
  Op op;
};

// Op: `T operator()(T, T) const`. The output may be either input.
template <class T, class Op>
struct PairMap {
  void launch(const sdk::Launch& launch) const {
    const T* x = launch.input<T>(0);
    const T* y = launch.input<T>(1);
    T* out = launch.output<T>(0);
    if (count <= kSmallCount) return run(out, x, y, 0, count);
    host->parallel_for(0, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
      run_widest([&](auto) LOCI_INLINE { run(out, x, y, begin, end); });
    });
  }

  LOCI_INLINE void run(T* out, const T* x, const T* y, std::int64_t begin, std::int64_t end) const {
    const Op function = op;
#pragma omp simd
    for (std::int64_t i = begin; i < end; ++i) out[i] = function(x[i], y[i]);
  }

  static constexpr std::int64_t kGrain = grain_for(picoseconds_of<Op, T, T>());
  const sdk::Host* host;
  std::int64_t count;
  Op op;
};

// A few halves, which are not worth a block.
template <class Half, class Op, class... In>
struct SmallHalfMap {
  void launch(const sdk::Launch& launch) const { run(launch, std::index_sequence_for<In...>()); }

  template <std::size_t... operand>
  void run(const sdk::Launch& launch, std::index_sequence<operand...> /*operands*/) const {
    Half* out = launch.output<Half>(0);
    for (std::int64_t i = 0; i < count; ++i) {
      prevent_vectors(i);
      out[i] = Half(op(static_cast<float>(launch.input<In>(operand)[i])...));
    }
  }

  std::int64_t count;
  Op op;
};

// Prepares an op of equally many elements T. op_for(Tag<C>()) is the function of what they are
// computed in: halves as float32, in blocks, so that they have no loops of their own.
template <class T, class OpFor>
void emplace_map(sdk::Prepare& prepare, const OpFor& op_for) {
  using C = sdk::compute_t<T>;
  using Op = decltype(op_for(sdk::Tag<C>()));
  const Op op = op_for(sdk::Tag<C>());
  const sdk::Host* host = &prepare.host();
  const std::int64_t count = prepare.op().output(0).numel();
  if constexpr (!sdk::is_half<T>) {
    prepare.emplace<Map<T, T, Op>>(host, count, op);
  } else if (count <= kSmallCount) {
    prepare.emplace<SmallHalfMap<T, Op, T>>(count, op);
  } else {
    emplace_widened_rows(prepare, count, {{1}, 1, 1, true}, picoseconds_of<Op, float, float>(),
                         [&](std::int64_t rows) {
                           return Map<float, float, Op>{host, rows, op};
                         });
  }
}

template <class T, class OpFor>
void emplace_pair_map(sdk::Prepare& prepare, const OpFor& op_for) {
  using C = sdk::compute_t<T>;
  using Op = decltype(op_for(sdk::Tag<C>()));
  const Op op = op_for(sdk::Tag<C>());
  const sdk::Host* host = &prepare.host();
  const std::int64_t count = prepare.op().output(0).numel();
  if constexpr (!sdk::is_half<T>) {
    prepare.emplace<PairMap<T, Op>>(host, count, op);
  } else if (count <= kSmallCount) {
    prepare.emplace<SmallHalfMap<T, Op, T, T>>(count, op);
  } else {
    emplace_widened_rows(prepare, count, {{2}, 3, 1, true}, picoseconds_of<Op, float, float>(),
                         [&](std::int64_t rows) {
                           return PairMap<float, Op>{host, rows, op};
                         });
  }
}

}  // namespace loci::kernels
