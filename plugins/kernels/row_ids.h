// Rows of a table, named by ids, as embeddings and row-sparse gradients have them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <string>

#include "plugins/kernels/integer_view.h"
#include "plugins/kernels/isa.h"

namespace loci::kernels {

// An id that names no row, among the rows of a gradient.
inline constexpr std::int64_t kNoRow = -1;

// Throws Error(kInvalidArgument) that names the first id outside [least, rows), and where it is.
void check_row_ids(const char* op, const IntegerView& ids, std::int64_t count, std::int64_t rows,
                   std::int64_t least = 0);

// Packed into one word, so that sorting is fast: the row above, the position among the ids below.
using RowKey = std::uint64_t;
inline constexpr std::int64_t kMostRowIds = std::int64_t{1} << 32;

inline std::int64_t row_of(RowKey key) { return static_cast<std::int64_t>(key >> 32); }
inline std::int64_t position_of(RowKey key) { return static_cast<std::int64_t>(key & 0xFFFFFFFFU); }

// Why a kernel cannot pack ids of that many rows and positions; empty if it can.
std::string row_keys_refusal(std::int64_t rows, std::int64_t count);

// Bytes of workspace for sorting so many ids.
constexpr std::uint64_t row_keys_bytes(std::int64_t count) {
  return 2 * static_cast<std::uint64_t>(count) * sizeof(RowKey);
}

struct RowKeys {
  const RowKey* data;
  std::int64_t count;
};

// The keys of ids in [kNoRow, rows) that name a row, by row; those of one row are neighbours, in
// the order of their positions. Linear in `count`. `workspace` has row_keys_bytes(count) and holds
// the result.
RowKeys sort_row_ids(const IntegerView& ids, std::int64_t count, std::int64_t rows,
                     RowKey* workspace);
// Takes ids in [-rows, rows) instead, which count from the end if they are negative.
RowKeys sort_row_positions(const IntegerView& ids, std::int64_t count, std::int64_t rows,
                           RowKey* workspace);

// Has the processor fetch a row that is read soon, from its first byte to its last.
LOCI_INLINE inline void prefetch_row(const void* row, std::int64_t bytes) {
  constexpr std::int64_t kCacheLine = 64;
  const auto* from = static_cast<const char*>(row);
  for (std::int64_t byte = 0; byte < bytes; byte += kCacheLine) __builtin_prefetch(from + byte);
  if (bytes > 0) __builtin_prefetch(from + bytes - 1);  // rows seldom begin with a line
}

// The keys of the rows that begin in [begin, end): ranges of disjoint bounds have disjoint rows.
struct RowKeyRange {
  const RowKey* first;
  const RowKey* last;
};
RowKeyRange rows_that_begin_in(const RowKeys& keys, std::int64_t begin, std::int64_t end);

}  // namespace loci::kernels
