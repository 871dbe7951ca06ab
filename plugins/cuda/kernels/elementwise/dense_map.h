// The launch of a function of elements of which nothing is broadcast.
#pragma once

#include <tuple>
#include <utility>

#include "kernels/launch/kernel_function.h"

namespace loci::cuda {

// Each of a few elements has a thread, and there are no more warps than they need.
inline LaunchSize dense_size(std::int64_t count, std::int64_t lanes) {
  constexpr std::int64_t kWarp = 32;
  LaunchSize size{(count + lanes - 1) / lanes};
  if (count > 0 && count <= kBlockThreads) {
    size.threads = static_cast<std::uint32_t>((count + kWarp - 1) / kWarp * kWarp);
  }
  return size;
}

// Its parameters are `operands` inputs, from the first on, the output, the number of its elements,
// and constants.
template <std::size_t operands, class... Constants>
struct DenseMap {
  void launch(const sdk::Launch& launch) const {
    launch_with(launch, std::make_index_sequence<operands>());
  }

  template <std::size_t... o>
  void launch_with(const sdk::Launch& launch, std::index_sequence<o...> /*operands*/) const {
    std::apply(
        [&](const Constants&... constant) {
          function.launch(launch, size, launch.input<void>(o)..., launch.output<void>(0), count,
                          constant...);
        },
        constants);
  }

  KernelFunction function;
  LaunchSize size;
  std::int64_t count;
  std::tuple<Constants...> constants;
};

// A thread's item is `lanes` elements.
template <std::size_t operands, class... Constants>
void emplace_dense_map(sdk::Prepare& prepare, KernelFunction function, std::int64_t lanes,
                       Constants... constants) {
  const std::int64_t count = prepare.op().output(0).numel();
  prepare.emplace<DenseMap<operands, Constants...>>(std::move(function), dense_size(count, lanes),
                                                    count, std::tuple<Constants...>(constants...));
}

}  // namespace loci::cuda
