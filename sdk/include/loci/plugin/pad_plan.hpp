// A pad of several dimensions, for kernels of it.
#pragma once

#include <loci/abi/base.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/dims.hpp>
#include <loci/plugin/pad.hpp>

namespace loci::sdk {

// A pad as rows of the result. Dimensions that are not padded are one where they meet, and the
// innermost one is part of what is moved at once if it is short.
class PadPlan {
 public:
  // In bytes, from where on a row of its own is better: it is copied as a whole.
  static constexpr std::int64_t kLongRun = 4096;

  PadPlan() = default;
  // `pads` has the elements in front of each dimension of x, and then those behind each.
  PadPlan(Dims x, Dims pads, PadMode mode, std::int64_t element_bytes)
      : mode_(mode), unit_(element_bytes) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const PadAxis axis = PadAxis::of(x[i], pads[i], pads[i + x.size()]);
      if (axis.padded == 0) is_empty_ = true;
      push(axis);
    }
    if (rank_ == 0) push({});
    take_unit();
    find_strides(numel_of(x) == 0);
  }

  [[nodiscard]] PadMode mode() const { return mode_; }
  // True if the result has no element; then the rest says nothing.
  [[nodiscard]] bool is_empty() const { return is_empty_; }
  // Bytes that lie side by side on both sides.
  [[nodiscard]] std::int64_t unit() const { return unit_; }
  // The last one is that of rows; at least one.
  [[nodiscard]] std::size_t rank() const { return rank_; }
  [[nodiscard]] const PadAxis& axis(std::size_t i) const { return axes_[i]; }
  [[nodiscard]] const PadAxis& row() const { return axes_[rank_ - 1]; }
  // Bytes from an element to the next along an axis of x, and of the result.
  [[nodiscard]] std::int64_t stride(std::size_t i) const { return strides_[i]; }
  [[nodiscard]] std::int64_t padded_stride(std::size_t i) const { return padded_strides_[i]; }
  // Rows of x, and of the result.
  [[nodiscard]] std::int64_t rows() const {
    std::int64_t rows = 1;
    for (std::size_t i = 0; i + 1 < rank_; ++i) rows *= axes_[i].extent;
    return rows;
  }
  [[nodiscard]] std::int64_t padded_rows() const {
    std::int64_t rows = 1;
    for (std::size_t i = 0; i + 1 < rank_; ++i) rows *= axes_[i].padded;
    return rows;
  }

 private:
  void push(const PadAxis& axis) {
    if (is_empty_) return;  // extents beside a 0 may multiply to what does not fit
    if (rank_ > 0 && axis.is_whole() && axes_[rank_ - 1].is_whole()) {
      const std::int64_t extent = axes_[rank_ - 1].extent * axis.extent;
      axes_[rank_ - 1] = {extent, extent, 0, extent, 0};
    } else {
      axes_[rank_++] = axis;
    }
  }

  void take_unit() {
    if (is_empty_ || rank_ < 2 || !row().is_whole()) return;
    if (row().extent >= kLongRun / unit_) return;
    unit_ *= row().extent;
    --rank_;
  }

  // Nothing is read of an x without elements, whose other extents may multiply to anything.
  void find_strides(bool is_x_empty) {
    if (is_empty_) return;
    std::int64_t stride = is_x_empty ? 0 : unit_;
    std::int64_t padded = unit_;
    for (std::size_t i = rank_; i-- > 0;) {
      strides_[i] = stride;
      padded_strides_[i] = padded;
      stride *= axes_[i].extent;
      padded *= axes_[i].padded;
    }
  }

  PadMode mode_ = PadMode::kConstant;
  bool is_empty_ = false;
  std::int64_t unit_ = 1;
  std::size_t rank_ = 0;
  std::array<PadAxis, LOCI_MAX_RANK> axes_{};
  Strides strides_{};
  Strides padded_strides_{};
};

}  // namespace loci::sdk
