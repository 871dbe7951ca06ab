// Sums of gradient rows that belong to one row of a table.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/row_ids.h"

namespace loci::kernels {

// Sums of gradient rows are made in blocks of so many columns, on the stack.
inline constexpr std::int64_t kRowBlock = 256;

// The sum over [first, last) of columns [column, column + count) of `values`, whose rows have
// `width` columns. The order of the sum is that of the positions.
template <class T, class C>
LOCI_INLINE inline void sum_row_block(const RowKey* first, const RowKey* last, const T* values,
                                      std::int64_t width, std::int64_t column, std::int64_t count,
                                      C* sum) {
  std::fill_n(sum, count, C{0});
  for (const RowKey* key = first; key != last; ++key) {
    const T* row = values + position_of(*key) * width + column;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) sum[i] += static_cast<C>(row[i]);
  }
}

}  // namespace loci::kernels
