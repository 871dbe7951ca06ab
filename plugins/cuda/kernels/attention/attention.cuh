// Attention by blocks: each has some queries of a head, whose scores with a tile of keys at a time
// are in registers, and never in memory.
#pragma once

#include "kernels/attention/attention_arguments.h"
#include "kernels/attention/attention_rows.cuh"
#include "kernels/device/async_rows.cuh"
#include "kernels/device/fast_divmod.cuh"

namespace loci::cuda {

// The queries of a tile, and what they look at.
template <class T>
struct AttentionTile {
  GlobalRows<T> queries;
  GlobalRows<T> keys;  // the counts are the caller's
  GlobalRows<T> values;
  const T* mask;  // of the first query and the first key; null: none
  T* out;         // of the first query, as what follows is
  float* span_results;
  float* span_totals;
  std::int64_t key_count;  // of its span, if there are spans
};

// Narrows a tile to a span of keys, and finds where it leaves its results if there are other spans.
template <class T>
__device__ void find_span(AttentionTile<T>& tile, const AttentionArguments& op, std::int64_t span,
                          std::int64_t row) {
  const std::int64_t first = span * op.span_keys;
  tile.key_count = min(op.keys - first, op.span_keys);
  tile.keys.first += first * tile.keys.step;
  tile.values.first += first * tile.values.step;
  if (tile.mask != nullptr) tile.mask += first * op.mask_key;
  if (op.span_results == nullptr) return;
  tile.span_results = op.span_results + (span * op.rows + row) * op.value_width;
  tile.span_totals = op.span_totals + (span * op.rows + row) * 2;
}

template <int queries, class T>
__device__ AttentionTile<T> attention_tile(const AttentionArguments& op, std::int64_t index) {
  const std::int64_t place = kHasSpans<queries> ? quotient(index, op.spans) : index;
  const std::int64_t line = quotient(place, op.query_tiles);
  const std::int64_t first = (place - line * op.query_tiles.value) * queries;
  const std::int64_t batch = quotient(line, op.heads);
  const std::int64_t head = line - batch * op.heads.value;
  const std::int64_t step = op.heads.value * op.width;
  const std::int64_t value_step = op.heads.value * op.value_width;
  const std::int64_t query = batch * op.queries + first;
  const std::int64_t key = batch * op.keys;
  const auto* mask = static_cast<const T*>(op.mask);
  if (mask != nullptr) {
    mask += batch * op.mask_batch + head * op.mask_head + first * op.mask_query;
  }
  const int count = static_cast<int>(min(op.queries - first, static_cast<std::int64_t>(queries)));
  AttentionTile<T> tile{
      {static_cast<const T*>(op.query) + query * step + head * op.width, step, count, op.width},
      {static_cast<const T*>(op.key) + key * step + head * op.width, step, 0, op.width},
      {static_cast<const T*>(op.value) + key * value_step + head * op.value_width, value_step, 0,
       op.value_width},
      mask,
      static_cast<T*>(op.out) + query * value_step + head * op.value_width};
  if constexpr (kHasSpans<queries>) {
    find_span(tile, op, index - place * op.spans.value, query * op.heads.value + head);
  }
  return tile;
}

// Products are those of a warp. Its warps are `query_warps` tiles of queries, and as many parts of
// each tile of keys as there are warps for each.
template <class Products, int query_warps>
class AttentionBlock {
 public:
  using T = typename Products::Operand;
  static constexpr int kQueries = query_warps * kAttentionRows;
  static constexpr int kParts = kAttentionWarps / query_warps;
  static constexpr int kKeys = Products::kKeys * kParts;
  static constexpr int kWidth = Products::kWidth;
  static_assert(kKeys == attention_keys(sizeof(T), kWidth, kQueries));

  __device__ AttentionBlock(const AttentionArguments& op, const AttentionTile<T>& tile,
                            unsigned char* shared)
      : op_(op),
        tile_(tile),
        queries_(reinterpret_cast<T*>(shared)),
        keys_(queries_ + kQueries * kPitch),
        values_(keys_ + kKeys * kPitch),
        results_(reinterpret_cast<float*>(shared)),
        totals_(results_ + kParts * kQueries * kResultPitch) {}

  __device__ void attend() {
    __syncthreads();  // the results of the tile before were read
    take_keys();
    __syncthreads();  // the operands were read
    leave_results();
    __syncthreads();
    store_results();
  }

 private:
  static constexpr int kPitch = Products::kPitch;
  static constexpr int kResultPitch = attention_result_pitch(kWidth);

  static __device__ int warp() { return static_cast<int>(threadIdx.x) / 32; }
  static __device__ int first_row() { return warp() % query_warps * kAttentionRows; }
  static __device__ int part() { return warp() / query_warps; }
  static __device__ int first_key() { return part() * Products::kKeys; }

  __device__ std::int64_t key_count() const {
    return kHasSpans<kQueries> ? tile_.key_count : op_.keys;
  }
  __device__ int keys_left(std::int64_t key) const {
    return static_cast<int>(min(key_count() - key, static_cast<std::int64_t>(kKeys)));
  }
  __device__ void begin_tile(T* shared, const GlobalRows<T>& of, std::int64_t key) {
    begin_rows<kKeys, kWidth, kPitch>(
        shared, GlobalRows<T>{of.first + key * of.step, of.step, keys_left(key), of.width});
    end_group();
  }

  // Keys are on their way while values are multiplied, and values while keys are.
  __device__ void take_keys() {
#pragma unroll 1
    for (std::int64_t key = 0;; key += kKeys) {
      const bool is_over = key >= key_count();
      if (!is_over) begin_keys(key);
      if (key != 0 && has_work(key - kKeys)) add_values();
      if (is_over) return;
      __syncthreads();  // the values before were read
      begin_tile(values_, tile_.values, key);
      wait_for_groups<1>();
      __syncthreads();
      if (key == 0) products_.take_queries(queries_ + first_row() * kPitch);
      if (has_work(key)) weigh_keys(key);
      wait_for_groups<0>();
      __syncthreads();
    }
  }

  // Returns true if the warp has a query and a key of the tile.
  __device__ bool has_work(std::int64_t key) const {
    return first_row() < tile_.queries.count && first_key() < keys_left(key);
  }

  // The first ones, and the queries, are there together.
  __device__ void begin_keys(std::int64_t key) {
    if (key == 0) begin_rows<kQueries, kWidth, kPitch>(queries_, tile_.queries);
    begin_tile(keys_, tile_.keys, key);
  }

  __device__ void add_values() { products_.add_values(values_ + first_key() * kPitch, op_.keys); }

  // Without a mask the factor is that of the exponent as well.
  __device__ void weigh_keys(std::int64_t key) {
    constexpr float kLeastFactor = 1e-30F;
    constexpr float kLog2E = 1.44269504F;
    products_.multiply_keys(keys_ + first_key() * kPitch);
    const bool is_plain = tile_.mask == nullptr && op_.factor >= kLeastFactor;
    if (!is_plain) scale_scores(key);
    if (keys_left(key) < kKeys) hide_keys(keys_left(key) - first_key());
    rows_.take_scores(products_, is_plain ? op_.factor * kLog2E : kLog2E);
  }

  __device__ void scale_scores(std::int64_t key) {
    const int left = keys_left(key);
#pragma unroll
    for (int i = 0; i < Products::kRows; ++i) {
      const int row = first_row() + Products::row(i);
      const bool is_masked = tile_.mask != nullptr && row < tile_.queries.count;
      const T* const mask = tile_.mask + row * op_.mask_query + key * op_.mask_key;
#pragma unroll
      for (int j = 0; j < Products::kScores; ++j) {
        const int at = first_key() + Products::key(j);
        const float added = is_masked && at < left ? Element<T>::widen(mask[at * op_.mask_key]) : 0;
        products_.score(i, j) = fmaf(products_.score(i, j), op_.factor, added);
      }
    }
  }

  __device__ void hide_keys(int left) {
#pragma unroll
    for (int j = 0; j < Products::kScores; ++j) {
      if (Products::key(j) < left) continue;
#pragma unroll
      for (int i = 0; i < Products::kRows; ++i) products_.score(i, j) = -INFINITY;
    }
  }

  __device__ void leave_results() {
    constexpr int kAtOnce = Products::kNeighbours;
#pragma unroll
    for (int i = 0; i < Products::kRows; ++i) {
      const int row = part() * kQueries + first_row() + Products::row(i);
#pragma unroll
      for (int j = 0; j < Products::kResults; j += kAtOnce) {
        Vector<float, kAtOnce> side_by_side;
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) side_by_side.lanes[k] = products_.result(i, j + k);
        store_vector(results_ + row * kResultPitch + Products::column(j), side_by_side);
      }
      const float sum = sum_of_lanes<Products::kRowLanes>(rows_.sum[i]);
      if (Products::column(0) != 0) continue;
      store_vector(totals_ + 2 * row, Vector<float, 2>{rows_.largest[i], sum});
    }
  }

  // Finds the factor of each part of the keys. Gives the largest score and the sum of all.
  __device__ Vector<float, 2> share_row(int row, float (&shares)[kParts]) const {
    Vector<float, 2> totals[kParts];
    Vector<float, 2> all{-INFINITY, 0};
#pragma unroll
    for (int k = 0; k < kParts; ++k) {
      totals[k] = load_lanes<2>(totals_ + 2 * (k * kQueries + row));
      all.lanes[0] = fmaxf(all.lanes[0], totals[k].lanes[0]);
    }
#pragma unroll
    for (int k = 0; k < kParts; ++k) {
      shares[k] = power_of_two(totals[k].lanes[0] - shift_of(all.lanes[0]));
      all.lanes[1] = fmaf(totals[k].lanes[1], shares[k], all.lanes[1]);
    }
    return all;
  }

  __device__ void store_results() const {
    constexpr int kLanes = 4;
    constexpr int kRowThreads = kWidth / kLanes;
    const int column = static_cast<int>(threadIdx.x) % kRowThreads * kLanes;
    if (column >= op_.value_width) return;
    for (int row = static_cast<int>(threadIdx.x) / kRowThreads; row < tile_.queries.count;
         row += kBlockThreads / kRowThreads) {
      float shares[kParts];
      const Vector<float, 2> total = share_row(row, shares);
      const Vector<float, kLanes> sums = sums_of<kLanes>(row, column, shares);
      if (kHasSpans<kQueries> && tile_.span_results != nullptr) {
        store_span(row, column, sums, total);
      } else {
        store_out(row, column, sums, share_of_all(total.lanes[1], op_.zeroes_hidden));
      }
    }
  }

  template <int lanes>
  __device__ Vector<float, lanes> sums_of(int row, int column,
                                          const float (&shares)[kParts]) const {
    Vector<float, lanes> sums{};
#pragma unroll
    for (int k = 0; k < kParts; ++k) {
      const auto of_part =
          load_lanes<lanes>(results_ + (k * kQueries + row) * kResultPitch + column);
#pragma unroll
      for (int lane = 0; lane < lanes; ++lane) {
        sums.lanes[lane] = fmaf(shares[k], of_part.lanes[lane], sums.lanes[lane]);
      }
    }
    return sums;
  }

  template <int lanes>
  __device__ void store_out(int row, int column, const Vector<float, lanes>& sums,
                            float factor) const {
    Vector<T, lanes> out;
#pragma unroll
    for (int lane = 0; lane < lanes; ++lane)
      out.lanes[lane] = narrowed<T>(sums.lanes[lane] * factor);
    store(tile_.out + row * tile_.values.step + column, out, op_.value_width - column);
  }

  template <int lanes>
  __device__ void store_span(int row, int column, const Vector<float, lanes>& sums,
                             const Vector<float, 2>& total) const {
    store(tile_.span_results + row * tile_.values.step + column, sums, op_.value_width - column);
    if (column == 0) store_vector(tile_.span_totals + row * op_.heads.value * 2, total);
  }

  template <class E, int lanes>
  static __device__ void store(E* to, const Vector<E, lanes>& out, int left) {
    if (left >= lanes && is_vector<lanes>(to)) return store_vector(to, out);
#pragma unroll
    for (int lane = 0; lane < lanes; ++lane) {
      if (lane < left) to[lane] = out.lanes[lane];
    }
  }

  const AttentionArguments& op_;
  const AttentionTile<T>& tile_;
  T* const queries_;
  T* const keys_;
  T* const values_;
  float* const results_;
  float* const totals_;
  Products products_{};
  AttentionRows<Products::kRows> rows_;
};

template <class Products, int query_warps>
__device__ void attend(const AttentionArguments& op) {
  extern __shared__ __align__(16) unsigned char shared[];
  using Block = AttentionBlock<Products, query_warps>;
#pragma unroll 1
  for (std::int64_t i = blockIdx.x; i < op.tiles * op.spans.value; i += gridDim.x) {
    const auto tile = attention_tile<Block::kQueries, typename Products::Operand>(op, i);
    Block(op, tile, shared).attend();
  }
}

}  // namespace loci::cuda
