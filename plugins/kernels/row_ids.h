// Rows of a table, named by ids, as embeddings and row-sparse gradients have them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <string>

#include "plugins/kernels/integer_view.h"
#include "plugins/kernels/isa.h"

namespace loci::kernels {

// Throws Error(kInvalidArgument) that names the first id outside [0, rows) and where it is.
void check_row_ids(const char* op, const IntegerView& ids, std::int64_t count, std::int64_t rows);

// Packed into one word, so that sorting is fast: the row above, the position among the ids below.
using RowKey = std::uint64_t;
inline constexpr std::int64_t kMostRowIds = std::int64_t{1} << 32;

inline std::int64_t row_of(RowKey key) { return static_cast<std::int64_t>(key >> 32); }
inline std::int64_t position_of(RowKey key) { return static_cast<std::int64_t>(key & 0xFFFFFFFFU); }

// Why a kernel cannot pack ids of that many rows and positions; empty if it can.
std::string row_keys_refusal(std::int64_t rows, std::int64_t count);

// Fills `keys` by row; those of one row are neighbours, in the order of their positions. The ids
// are in range.
void sort_row_ids(const IntegerView& ids, std::int64_t count, RowKey* keys);

// The keys of the rows that begin in [begin, end): ranges of disjoint bounds have disjoint rows.
struct RowKeyRange {
  const RowKey* first;
  const RowKey* last;
};
RowKeyRange rows_that_begin_in(const RowKey* keys, std::int64_t count, std::int64_t begin,
                               std::int64_t end);

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
