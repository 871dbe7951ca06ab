// Attention as a launch describes it; for both sides of it.
#pragma once

#include <cstdint>

#include "kernels/launch/block_threads.h"
#include "kernels/launch/fast_divmod.h"

namespace loci::cuda {

// Queries, keys, values and results lie as [batch, length, heads * width], each head's part of a
// row beside the next one's. Steps are in elements; those of a mask are 0 where it repeats.
struct AttentionArguments {
  const void* query;
  const void* key;
  const void* value;
  const void* mask;  // null: none
  void* out;
  std::int64_t tiles;  // of all heads
  FastDivmod query_tiles;
  FastDivmod heads;
  std::int64_t queries;
  std::int64_t keys;
  std::int32_t width;        // of a query and a key of one head
  std::int32_t value_width;  // of one head
  std::int64_t mask_batch;
  std::int64_t mask_head;
  std::int64_t mask_query;
  std::int32_t mask_key;  // 0 or 1
  float factor;
  bool zeroes_hidden;  // the results of a query whose scores are all -infinity; else they are NaN
  // Keys are divided into spans where there are few tiles. Blocks of each span leave results as
  // they were without the others, [spans, rows, value width], and of each row the largest score and
  // the sum, [spans, rows, 2]. Null for a single span.
  FastDivmod spans;
  std::int64_t span_keys;
  std::int64_t rows;   // queries of all heads
  FastDivmod columns;  // the value width
  float* span_results;
  float* span_totals;
};

// A warp has so many queries; the warps of a block are so many tiles of queries, and as many parts
// of the keys as are left then.
inline constexpr int kAttentionRows = 16;
inline constexpr int kAttentionWarps = kBlockThreads / 32;

// Blocks of few queries may have a span of the keys.
template <int queries>
inline constexpr bool kHasSpans = queries == kAttentionRows;

// How many keys, of elements of so many bytes and as wide as `width`, a block has at once beside
// so many queries.
constexpr int attention_keys(int element_bytes, int width, int queries) {
  if (queries == kAttentionRows) return element_bytes * width > 256 ? 64 : 128;
  return element_bytes * width > 256 && queries > 32 ? 32 : 64;
}

// A row in shared memory, 16 bytes longer than its elements: then eight rows' parts of 16 bytes are
// in banks of their own. Results have two columns of a row in a lane, and eight elements more.
constexpr int attention_pitch(int element_bytes, int width) { return width + 16 / element_bytes; }
constexpr int attention_result_pitch(int width) { return width + 8; }

// Queries, keys and values; and then, in their place, the results of each part of the keys, with
// the largest score and the sum of each row.
constexpr int attention_shared_bytes(int element_bytes, int width, int queries) {
  const int rows = queries + 2 * attention_keys(element_bytes, width, queries);
  const int operands = rows * attention_pitch(element_bytes, width) * element_bytes;
  const int result_rows = kAttentionWarps / (queries / kAttentionRows) * queries;
  const int results = result_rows * (attention_result_pitch(width) + 2) * 4;
  return operands > results ? operands : results;
}

}  // namespace loci::cuda
