// A copy between two strided arrangements of the same elements, resolved once: what transposes,
// slices, repetitions and concatenations are made of.
//
//   StridedCopyPlan plan(sizeof(float));
//   plan.axis(rows, 4, 4 * rows).axis(columns, 4 * columns, 4).resolve();
//
// A plan is plain data, resolved in prepare and read by any number of threads in a launch. Strides
// and offsets are in bytes.
#pragma once

#include <loci/abi/base.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace loci::sdk {

class StridedCopyPlan {
 public:
  struct Axis {
    std::int64_t extent;
    std::int64_t from;  // what a step is on either side
    std::int64_t to;
  };
  // Where a position lies on both sides.
  struct Offsets {
    std::int64_t from = 0;
    std::int64_t to = 0;
  };
  // How runs of unit() bytes are walked.
  enum class Loop : std::uint8_t {
    kNothing,
    kBlock,      // one run
    kRows,       // along the innermost axis of `to`
    kTransposed  // in tiles of the innermost axes of `from` and `to`
  };
  // The longest unit for which kTransposed is chosen: what a register holds.
  static constexpr std::int64_t kMaxTiledUnit = 16;

  explicit StridedCopyPlan(std::int64_t element_bytes) : unit_(element_bytes) {}

  // Adds a dimension, the outermost first. The stride of `to` is not 0, and no two elements of `to`
  // share a byte; that of `from` may be anything: 0 repeats, a negative one walks backwards. At
  // most 2 * LOCI_MAX_RANK of them.
  StridedCopyPlan& axis(std::int64_t extent, std::int64_t from, std::int64_t to) {
    if (extent != 1) axes_[rank_++] = {extent, from, to};
    return *this;
  }

  // Finds the loops. Once, after the last axis.
  StridedCopyPlan& resolve() {
    const bool empty = unit_ == 0 || std::any_of(axes_.data(), axes_.data() + rank_,
                                                 [](const Axis& a) { return a.extent == 0; });
    if (empty) return *this;
    sort_axes();
    merge_axes();
    take_unit();
    choose_loop();
    return *this;
  }

  // Returns true if there is nothing to copy; then there may be no addresses either.
  [[nodiscard]] bool empty() const { return loop_ == Loop::kNothing; }
  [[nodiscard]] Loop loop() const { return loop_; }
  // Bytes that lie side by side on both sides.
  [[nodiscard]] std::int64_t unit() const { return unit_; }
  // Positions of the axes but for the innermost one, or two if transposed.
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::size_t rank() const { return rank_; }
  // The axis that is `from_last` before the last. With kTransposed, 0 is contiguous in `to` and 1
  // in `from`.
  [[nodiscard]] const Axis& inner(std::size_t from_last) const {
    return axes_[rank_ - 1 - from_last];
  }
  // Returns a position's offsets along the first `axes` axes, the last of which is the fastest.
  [[nodiscard]] Offsets offsets_of(std::int64_t position, std::size_t axes) const {
    Offsets offsets;
    for (std::size_t i = axes; i-- > 0;) {
      const std::int64_t coordinate = position % axes_[i].extent;
      position /= axes_[i].extent;
      offsets.from += coordinate * axes_[i].from;
      offsets.to += coordinate * axes_[i].to;
    }
    return offsets;
  }

 private:
  // So that `to` is written in order.
  void sort_axes() {
    std::stable_sort(axes_.data(), axes_.data() + rank_,
                     [](const Axis& a, const Axis& b) { return std::abs(a.to) > std::abs(b.to); });
  }

  // Neighbours that are one run of steps on both sides become one.
  void merge_axes() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rank_; ++i) {
      const Axis inner = axes_[i];
      if (kept > 0) {
        Axis& outer = axes_[kept - 1];
        if (outer.from == inner.from * inner.extent && outer.to == inner.to * inner.extent) {
          outer = {outer.extent * inner.extent, inner.from, inner.to};
          continue;
        }
      }
      axes_[kept++] = inner;
    }
    rank_ = kept;
  }

  // An innermost axis without gaps is part of what is moved at once.
  void take_unit() {
    if (rank_ == 0) return;
    const Axis& last = axes_[rank_ - 1];
    if (last.from != unit_ || last.to != unit_) return;
    unit_ *= last.extent;
    --rank_;
  }

  void choose_loop() {
    loop_ = rank_ == 0 ? Loop::kBlock : Loop::kRows;
    const bool fits_register = unit_ <= kMaxTiledUnit && (unit_ & (unit_ - 1)) == 0;
    for (std::size_t i = 0; i + 1 < rank_; ++i) {
      const Axis& last = axes_[rank_ - 1];
      const bool crosses = axes_[i].from == unit_ && last.to == unit_ && last.from != 0;
      if (crosses && fits_register) return swap_to_tiles(i);
    }
    for (std::size_t i = 0; i + 1 < rank_; ++i) rows_ *= axes_[i].extent;
  }

  // Brings the axis that is innermost in `from` next to the one that is innermost in `to`.
  void swap_to_tiles(std::size_t axis) {
    loop_ = Loop::kTransposed;
    std::rotate(axes_.data() + axis, axes_.data() + axis + 1, axes_.data() + rank_ - 1);
    for (std::size_t i = 0; i + 2 < rank_; ++i) rows_ *= axes_[i].extent;
  }

  std::int64_t unit_;
  std::size_t rank_ = 0;
  std::int64_t rows_ = 1;
  Loop loop_ = Loop::kNothing;
  std::array<Axis, std::size_t{2} * LOCI_MAX_RANK> axes_{};
};

}  // namespace loci::sdk
