// Extents of a tensor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <loci/export.hpp>
#include <string>
#include <vector>

namespace loci {
inline namespace v0 {

// A dimension that is not known before a program runs, such as the batch size.
inline constexpr std::int64_t kDynamicDim = -1;

// Up to eight extents, each >= 0, or kDynamicDim in the shape of a program's variable. A shape of
// rank 0 is that of a single number. Holds its extents in place: copying allocates nothing.
class LOCI_PUBLIC Shape {
 public:
  static constexpr int kMaxRank = 8;

  Shape() = default;
  // Throws Error(kInvalidArgument) for more than eight extents or one below -1.
  Shape(std::initializer_list<std::int64_t> dims);
  explicit Shape(const std::vector<std::int64_t>& dims);
  Shape(const std::int64_t* dims, int rank);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] std::int64_t operator[](int axis) const noexcept {
    return dims_[static_cast<std::size_t>(axis)];
  }
  [[nodiscard]] const std::int64_t* data() const noexcept { return dims_.data(); }
  [[nodiscard]] const std::int64_t* begin() const noexcept { return dims_.data(); }
  [[nodiscard]] const std::int64_t* end() const noexcept { return dims_.data() + rank_; }
  [[nodiscard]] std::vector<std::int64_t> dims() const { return {begin(), end()}; }

  // Replaces one extent.
  void set(int axis, std::int64_t extent);
  // Adds an extent at the end.
  void push_back(std::int64_t extent);

  // Returns true if every extent is known.
  [[nodiscard]] bool is_static() const noexcept;
  // Product of the extents, 1 for rank 0. Throws Error(kInvalidArgument) if one is unknown or the
  // product does not fit into 63 bits.
  [[nodiscard]] std::int64_t numel() const;

  // "[2, 3]"; unknown extents print as -1.
  [[nodiscard]] std::string to_string() const;

  friend bool operator==(const Shape& a, const Shape& b) noexcept {
    if (a.rank_ != b.rank_) return false;
    for (int i = 0; i < a.rank_; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }
  friend bool operator!=(const Shape& a, const Shape& b) noexcept { return !(a == b); }

 private:
  std::array<std::int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

}  // namespace v0
}  // namespace loci
