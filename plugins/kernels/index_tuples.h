// Slices of a table that tuples of positions name.
#pragma once

#include <array>
#include <cstdint>
#include <loci/plugin/dims.hpp>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/positions.h"

namespace loci::kernels {

// A table as rows, which are the slices that tuples name, a batch after the other.
class IndexTuples {
 public:
  IndexTuples(sdk::Dims table, sdk::Dims index, std::int64_t batch_dims)
      : batch_(static_cast<std::size_t>(batch_dims)),
        length_(static_cast<std::size_t>(index[index.size() - 1])),
        count_(sdk::numel_of(index.head(index.size() - 1))),
        rows_(sdk::numel_of(table.head(batch_ + length_))),
        width_(sdk::numel_of(table.tail(batch_ + length_))) {
    const std::int64_t batches = sdk::numel_of(table.head(batch_));
    of_batch_ = batches == 0 ? 0 : count_ / batches;
    rows_of_batch_ = sdk::numel_of(table.tail(batch_).head(length_));
    std::int64_t stride = 1;
    for (std::size_t i = length_; i-- > 0;) {
      extents_[i] = table[batch_ + i];
      strides_[i] = stride;
      stride *= extents_[i];
    }
  }

  [[nodiscard]] std::int64_t count() const { return count_; }  // tuples
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t width() const { return width_; }  // elements of a row

  // Writes the row of each tuple, once it is known that there are all of them.
  void find_rows(const char* op, const sdk::Host& host, const IntegerView& index,
                 std::int64_t* rows) const {
    const auto length = static_cast<std::int64_t>(length_);
    (void)check_positions(op, host, index, count_ * length, {extents_.data(), length_}, batch_);
    index.with_data([&](const auto* positions) {
      host.parallel_for(
          0, count_, grain_for(1000 * length), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
              rows[i] = i / of_batch_ * rows_of_batch_ + row_of(positions + i * length);
            }
          });
    });
  }

 private:
  template <class Id>
  [[nodiscard]] std::int64_t row_of(const Id* tuple) const {
    std::int64_t row = 0;
    for (std::size_t i = 0; i < length_; ++i) {
      row += from_start(tuple[i], extents_[i]) * strides_[i];
    }
    return row;
  }

  std::size_t batch_;   // dimensions of a batch
  std::size_t length_;  // of a tuple
  std::int64_t count_;
  std::int64_t rows_;
  std::int64_t width_;
  std::int64_t of_batch_ = 0;       // tuples for each element of a batch
  std::int64_t rows_of_batch_ = 0;  // the same of rows
  std::array<std::int64_t, LOCI_MAX_RANK> extents_{};
  std::array<std::int64_t, LOCI_MAX_RANK> strides_{};  // in rows
};

}  // namespace loci::kernels
