// How a block reads patches of images: in runs of memory, each from one sector to the next, so that
// no two requests of its warps touch the same.
#pragma once

#include <cstdint>

#include "kernels/conv2d/conv2d_gather.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {

__device__ inline int quotient(int dividend, const ShortDivision& by) {
  if (by.divisor == 1) return dividend;
  return static_cast<int>(__umulhi(static_cast<std::uint32_t>(dividend), by.factor));
}

// Finds the same factor as the host does.
__device__ inline ShortDivision short_division(int divisor) {
  const auto by = static_cast<std::uint32_t>(divisor < 1 ? 1 : divisor);
  const std::uint32_t below = 0xFFFFFFFF / by;  // (2^32 - 1) / by, which is less where by is 2^n
  const std::uint32_t floor = 0xFFFFFFFF - below * by == by - 1 ? below + 1 : below;
  return {static_cast<std::int32_t>(by), floor + 1};
}

// The part of one axis of a patch that lies in the image.
struct PatchRange {
  __device__ PatchRange(std::int64_t first, int covered, std::int64_t elements)
      : to_first(first < 0 ? static_cast<int>(-first < covered ? -first : covered) : 0),
        element(first + to_first) {
    const std::int64_t left = elements - element;
    const int most = covered - to_first;
    count = left < most ? static_cast<int>(left < 0 ? 0 : left) : most;
  }
  int to_first;          // elements of the patch before it
  std::int64_t element;  // of the image, its first
  int count;
};

template <class T>
class PatchSource {
 public:
  // Reads so many planes, from a row and a column on.
  __device__ PatchSource(const ConvGather& gather, int planes, std::int64_t row,
                         std::int64_t column)
      : patch_(gather.patch),
        planes_(planes),
        rows_(row, patch_.size.divisor / patch_.width.divisor, gather.height.elements),
        columns_(column, patch_.width.divisor, gather.width.elements),
        row_step_(gather.width.elements),
        plane_step_(gather.channels * gather.height.elements * gather.width.elements),
        run_lines_(lines_of_run(gather)),
        by_row_(short_division(rows_.count)),
        by_column_(short_division(columns_.count)),
        by_run_(
            short_division((run_lines_ * columns_.count + 2 * kSector - 2) / kSector * kSector)) {}

  // 0 where there is padding.
  template <class C>
  __device__ void clear(C* elements) const {
    const int count = patch_.planes * patch_.size.divisor;
    if (planes_ * rows_.count * columns_.count == count) return;
    for (int i = static_cast<int>(threadIdx.x); i < count; i += kBlockThreads) elements[i] = 0;
  }

  // `first` is the first plane.
  template <class C>
  __device__ void load(C* elements, const T* first) const {
    if (rows_.count == 0 || columns_.count == 0) return;
    const int items = planes_ * rows_.count / run_lines_ * by_run_.divisor;
    for (int i = static_cast<int>(threadIdx.x); i < items; i += kBlockThreads) {
      const int run = quotient(i, by_run_);
      load_item(elements, first, run * run_lines_, i - run * by_run_.divisor);
    }
  }

 private:
  // Elements of a sector.
  static constexpr int kSector = 32 / sizeof(T);

  // Whole rows follow one another, and whole planes where there is one channel.
  __device__ int lines_of_run(const ConvGather& gather) const {
    if (columns_.count != gather.width.elements || rows_.count == 0) return 1;
    const bool are_whole = rows_.count == gather.height.elements && gather.channels == 1;
    return are_whole ? planes_ * rows_.count : rows_.count;
  }

  // A run's items begin where the sector of its first element does.
  template <class C>
  __device__ void load_item(C* elements, const T* first, int line, int item) const {
    const int first_plane = quotient(line, by_row_);
    const T* const run = first + first_plane * plane_step_ +
                         (rows_.element + line - first_plane * rows_.count) * row_step_ +
                         columns_.element;
    const auto before =
        static_cast<int>(reinterpret_cast<std::uintptr_t>(run) / sizeof(T) % kSector);
    const int at = item - before;
    if (at < 0 || at >= run_lines_ * columns_.count) return;
    const int lines = quotient(at, by_column_);
    const int plane = quotient(line + lines, by_row_);
    const int row = rows_.to_first + line + lines - plane * rows_.count;
    const int column = columns_.to_first + at - lines * columns_.count;
    elements[plane * patch_.size.divisor + row * patch_.width.divisor + column] =
        Element<T>::widen(run[at]);
  }

  const ConvPatch& patch_;
  int planes_;
  PatchRange rows_;
  PatchRange columns_;
  std::int64_t row_step_;
  std::int64_t plane_step_;
  int run_lines_;
  ShortDivision by_row_;
  ShortDivision by_column_;
  ShortDivision by_run_;
};

}  // namespace loci::cuda
