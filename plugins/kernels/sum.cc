// sum: the sum of a list; and square_error_cost.
#include <algorithm>
#include <loci/plugin/kernel.hpp>
#include <type_traits>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/half_convert.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/map.h"
#include "plugins/kernels/wrapping.h"

namespace loci::kernels {
namespace {

using sdk::Prepare;

template <class T, class = void>
struct TermOf {
  using type = sdk::compute_t<T>;
};
template <class T>
struct TermOf<T, std::enable_if_t<std::is_integral_v<T>>> {
  using type = wrapping_t<T>;
};
// The type that elements are added up in: integers wrap, 16-bit ones are rounded once, at the end.
template <class T>
using term_t = typename TermOf<T>::type;

// Block by block, so that the partial sums stay in the first cache. The output may be the first
// input.
template <class T>
struct SumOfList {
  using Term = term_t<T>;
  static constexpr std::int64_t kBlock = 512;

  void launch(const sdk::Launch& launch) const {
    const std::int64_t grain = grain_for(static_cast<std::int64_t>(inputs) * 40 * sizeof(T));
    host->parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) {
      run_widest([&](auto) LOCI_INLINE {
        for (; begin < end; begin += kBlock) run(launch, begin, std::min(kBlock, end - begin));
      });
    });
  }

  LOCI_INLINE void run(const sdk::Launch& launch, std::int64_t begin, std::int64_t length) const {
    Term sums[kBlock];
    read(launch.input<T>(0) + begin, sums, length);
    for (std::uint32_t k = 1; k < inputs; ++k) add(launch.input<T>(k) + begin, sums, length);
    write(sums, launch.output<T>(0) + begin, length);
  }

  LOCI_INLINE static void read(const T* from, Term* to, std::int64_t length) {
    if constexpr (sdk::is_half<T>) {
      widen(from, to, length);
    } else {
#pragma omp simd
      for (std::int64_t i = 0; i < length; ++i) to[i] = static_cast<Term>(from[i]);
    }
  }

  LOCI_INLINE static void add(const T* from, Term* sums, std::int64_t length) {
    if constexpr (sdk::is_half<T>) {
      Term wide[kBlock];
      widen(from, wide, length);
#pragma omp simd
      for (std::int64_t i = 0; i < length; ++i) sums[i] += wide[i];
    } else {
#pragma omp simd
      for (std::int64_t i = 0; i < length; ++i) sums[i] += static_cast<Term>(from[i]);
    }
  }

  LOCI_INLINE static void write(const Term* from, T* to, std::int64_t length) {
    if constexpr (sdk::is_half<T>) {
      narrow(from, to, length);
    } else {
#pragma omp simd
      for (std::int64_t i = 0; i < length; ++i) to[i] = static_cast<T>(from[i]);
    }
  }

  const sdk::Host* host;
  std::int64_t count;
  std::uint32_t inputs;
};

void prepare_sum(Prepare& prepare) {
  const auto& op = prepare.op();
  sdk::visit_numbers(op.input(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    prepare.emplace<SumOfList<T>>(&prepare.host(), op.input(0).numel(), op.input_count(0));
  });
}

template <class T>
struct SquareError {
  LOCI_INLINE T operator()(T input, T label) const {
    const T difference = input - label;
    return difference * difference;
  }
};

void prepare_square_error(Prepare& prepare) {
  sdk::visit_floats(prepare.op().input(0).dtype(), [&](auto tag) {
    emplace_pair_map<typename decltype(tag)::type>(
        prepare, [](auto computed) { return SquareError<typename decltype(computed)::type>(); });
  });
}

}  // namespace

void add_sum(KernelDefs& kernels) {
  kernels.push_back({.op = "sum",
                     .name = kPortable,
                     .dtypes = sdk::kNumberBits,
                     .create = sdk::make_kernel<prepare_sum>,
                     .aliases = {{0, 0}}});
  kernels.push_back({.op = "square_error_cost",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<prepare_square_error>,
                     .aliases = {{0, 0}, {1, 0}}});
}

}  // namespace loci::kernels
