// A copy between two strided arrangements of the same elements, resolved once: what transposes,
// slices, repetitions and concatenations are made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/kernel.hpp>

namespace loci::kernels {

class StridedCopy {
 public:
  explicit StridedCopy(std::int64_t element_bytes) : unit_(element_bytes) {}

  // Adds a dimension, the outermost first; strides are in bytes. That of `to` is not 0, and no two
  // elements of `to` share a byte; that of `from` may be anything: 0 repeats, a negative one walks
  // backwards. At most 2 * LOCI_MAX_RANK of them.
  StridedCopy& axis(std::int64_t extent, std::int64_t from, std::int64_t to);
  // Finds the loops. Once, after the last axis.
  StridedCopy& resolve();

  // Whether there is nothing to copy; then there may be no addresses either.
  [[nodiscard]] bool empty() const { return loop_ == Loop::kNothing; }
  // The addresses are those of the elements at index 0. The arrangements do not overlap.
  void run(const sdk::Host& host, const char* from, char* to) const;

 private:
  static constexpr std::size_t kMost = std::size_t{2} * LOCI_MAX_RANK;

  struct Axis {
    std::int64_t extent;
    std::int64_t from;
    std::int64_t to;
  };
  // Where a position of the outer axes lies on both sides.
  struct Offsets {
    std::int64_t from = 0;
    std::int64_t to = 0;
  };
  // How runs of unit_ bytes are walked.
  enum class Loop : std::uint8_t {
    kNothing,
    kBlock,      // one run
    kRows,       // along the innermost axis of `to`
    kTransposed  // in tiles of the innermost axes of `from` and `to`
  };

  void sort_axes();
  void merge_axes();
  void take_unit();
  void choose_loop();
  void swap_to_tiles(std::size_t axis);

  [[nodiscard]] Offsets offsets_of(std::int64_t position, std::size_t axes) const;
  void run_block(const sdk::Host& host, const char* from, char* to) const;
  template <class Unit>
  void run_units(const sdk::Host& host, const char* from, char* to) const;
  template <class Unit>
  void run_rows(const sdk::Host& host, const char* from, char* to) const;
  template <class Unit>
  void run_tiles(const sdk::Host& host, const char* from, char* to) const;
  void run_long_rows(const sdk::Host& host, const char* from, char* to) const;

  std::int64_t unit_;
  std::size_t rank_ = 0;
  std::int64_t rows_ = 1;  // positions of the axes that no inner loop walks
  Loop loop_ = Loop::kNothing;
  std::array<Axis, kMost> axes_{};
};

// The strides, in bytes, of a dense tensor.
using Strides = std::array<std::int64_t, LOCI_MAX_RANK>;
Strides dense_strides(sdk::Dims dims, std::int64_t element_bytes);

}  // namespace loci::kernels
