// Shapes and strides of dense tensors.
//
// Nothing here allocates or keeps a pointer beyond the call, so that all of it may be used in a
// launch and from any thread. Nothing checks either: schemas have done so before a kernel sees a
// shape. Ranks are at most LOCI_MAX_RANK.
#pragma once

#include <loci/abi/base.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace loci::sdk {

// A borrowed array.
template <class T>
class Span {
 public:
  constexpr Span() = default;
  constexpr Span(T* data, std::size_t size) : data_(data), size_(size) {}
  template <class U>
  Span(const std::vector<U>& items) : data_(items.data()), size_(items.size()) {}  // NOLINT

  [[nodiscard]] constexpr T* data() const { return data_; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] constexpr T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] constexpr T* begin() const { return data_; }
  [[nodiscard]] constexpr T* end() const { return data_ + size_; }

  // The first `count` items, and those from `first` on.
  [[nodiscard]] constexpr Span head(std::size_t count) const { return {data_, count}; }
  [[nodiscard]] constexpr Span tail(std::size_t first) const {
    return {data_ + first, size_ - first};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// Extents, outermost first.
using Dims = Span<const std::int64_t>;

// Extents that are kept rather than borrowed.
struct DimList {
  std::size_t rank = 0;
  std::array<std::int64_t, LOCI_MAX_RANK> extents{};

  // Valid while this list is.
  operator Dims() const { return {extents.data(), rank}; }  // NOLINT(google-explicit-constructor)
};

// The product of the extents; 1 for rank 0. What an empty tensor's extents besides the 0 would
// multiply to may not fit.
inline std::int64_t numel_of(Dims dims) {
  for (const std::int64_t extent : dims) {
    if (extent == 0) return 0;
  }
  std::int64_t product = 1;
  for (const std::int64_t extent : dims) product *= extent;
  return product;
}

// The axis that an attribute names: a negative one counts from the end.
constexpr std::size_t axis_index(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

// A tensor seen along one axis: outer * inner vectors of `count` elements that lie `inner` elements
// apart.
struct AxisSplit {
  // A negative axis counts from the end.
  AxisSplit(Dims dims, std::int64_t axis) {
    const std::size_t at = axis_index(axis, dims.size());
    outer = numel_of(dims.head(at));
    count = dims[at];
    inner = numel_of(dims.tail(at + 1));
  }
  std::int64_t outer;
  std::int64_t count;
  std::int64_t inner;
};

// The step along each axis; those from the rank on are 0.
using Strides = std::array<std::int64_t, LOCI_MAX_RANK>;

// Returns the strides of a dense tensor whose elements are `unit` apart: 1 counts in elements, an
// element's size in bytes.
inline Strides dense_strides(Dims dims, std::int64_t unit = 1) {
  Strides strides{};
  std::int64_t stride = unit;
  for (std::size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

}  // namespace loci::sdk
