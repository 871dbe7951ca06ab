// nonzero: the positions of the elements that are not zero, in row-major order.
#include <algorithm>
#include <array>
#include <loci/plugin/dtype_visit.hpp>
#include <utility>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/kernel_list.h"

namespace loci::kernels {
namespace {

constexpr std::int64_t kChunk = 16384;

template <class T>
struct Nonzero {
  using Extents = std::array<std::int64_t, LOCI_MAX_RANK>;

  void launch(const sdk::Launch& launch) const {
    const T* x = launch.input<T>(0);
    auto* out = launch.output<std::int64_t>(0);
    auto* starts = launch.workspace<std::int64_t>();
    const std::int64_t chunks = (count + kChunk - 1) / kChunk;
    each_chunk(chunks, [&](std::int64_t chunk) { starts[chunk] = count_in(x, chunk); });
    std::int64_t total = 0;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
      total += std::exchange(starts[chunk], total);
    }
    each_chunk(chunks,
               [&](std::int64_t chunk) { write_positions(x, chunk, out + starts[chunk] * rank); });
    *launch.output<std::int64_t>(1) = total;
  }

  template <class Function>
  void each_chunk(std::int64_t chunks, const Function& function) const {
    host->parallel_for(0, chunks, grain_for(kChunk * 500),
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t chunk = begin; chunk < end; ++chunk) function(chunk);
                       });
  }

  static bool counts(T value) { return static_cast<sdk::compute_t<T>>(value) != 0; }

  std::int64_t count_in(const T* x, std::int64_t chunk) const {
    const std::int64_t end = std::min(count, (chunk + 1) * kChunk);
    std::int64_t found = 0;
    for (std::int64_t i = chunk * kChunk; i < end; ++i) found += counts(x[i]) ? 1 : 0;
    return found;
  }

  void write_positions(const T* x, std::int64_t chunk, std::int64_t* out) const {
    const std::int64_t begin = chunk * kChunk;
    const std::int64_t end = std::min(count, begin + kChunk);
    Extents position = position_of(begin);
    for (std::int64_t i = begin; i < end; ++i) {
      if (counts(x[i])) out = std::copy_n(position.begin(), rank, out);
      advance(position);
    }
  }

  [[nodiscard]] Extents position_of(std::int64_t index) const {
    Extents position{};
    for (std::int64_t axis = rank; axis-- > 0;) {
      position[static_cast<std::size_t>(axis)] = index % extents[static_cast<std::size_t>(axis)];
      index /= extents[static_cast<std::size_t>(axis)];
    }
    return position;
  }

  void advance(Extents& position) const {
    for (auto axis = static_cast<std::size_t>(rank); axis-- > 0;) {
      if (++position[axis] < extents[axis]) return;
      position[axis] = 0;
    }
  }

  const sdk::Host* host;
  std::int64_t count;
  std::int64_t rank;
  Extents extents;
};

void prepare_nonzero(sdk::Prepare& prepare) {
  const auto x = prepare.op().input(0);
  std::array<std::int64_t, LOCI_MAX_RANK> extents{};
  for (std::int32_t axis = 0; axis < x.rank(); ++axis) {
    extents[static_cast<std::size_t>(axis)] = x.dim(axis);
  }
  const std::int64_t chunks = (x.numel() + kChunk - 1) / kChunk;
  prepare.set_workspace(static_cast<std::uint64_t>(chunks) * sizeof(std::int64_t));
  sdk::visit_all(x.dtype(), [&](auto tag) {
    prepare.emplace<Nonzero<typename decltype(tag)::type>>(&prepare.host(), x.numel(), x.rank(),
                                                           extents);
  });
}

}  // namespace

void add_nonzero(KernelDefs& kernels) {
  kernels.push_back({.op = "nonzero",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<prepare_nonzero>});
}

}  // namespace loci::kernels
