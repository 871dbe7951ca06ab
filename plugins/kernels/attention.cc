// attention: the scores of some queries of one head at a time, which stay in the cache.
#include <algorithm>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/attention_shape.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/packed_product.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;

// One head of one element of the batch, from its first row on.
template <class T>
struct Head {
  const T* query;
  const T* key;
  const T* value;
  const T* mask;  // null: none
  T* out;
};

template <class T>
struct Common : AttentionShape<T> {
  using AttentionShape<T>::AttentionShape;
  using AttentionShape<T>::shape;
  using AttentionShape<T>::mask;
  using AttentionShape<T>::has_mask;
  using AttentionShape<T>::zeroes_hidden;

  [[nodiscard]] Head<T> head(const Launch& launch, std::int64_t number) const {
    const std::int64_t b = number / shape.heads;
    const std::int64_t h = number % shape.heads;
    const T* masked = has_mask ? launch.input<T>(kMask) + b * mask.batch + h * mask.head : nullptr;
    return {launch.input<T>(kQuery) + b * shape.queries * shape.query_row() + h * shape.width,
            launch.input<T>(kKey) + b * shape.keys * shape.query_row() + h * shape.width,
            launch.input<T>(kValue) + b * shape.keys * shape.value_row() + h * shape.value_width,
            masked,
            launch.output<T>(0) + b * shape.queries * shape.value_row() + h * shape.value_width};
  }
};

// A query at a time, in the order of the keys: for few queries, and for every dtype.
template <class T>
struct ByRows {
  using C = sdk::compute_t<T>;
  // The time of a product and a sum, for one score.
  static constexpr std::int64_t kPicoseconds = 100;

  [[nodiscard]] std::int64_t items() const {
    return common.shape.batch * common.shape.heads * common.shape.queries;
  }
  [[nodiscard]] std::uint64_t scratch_bytes() const {
    return static_cast<std::uint64_t>(common.shape.keys + common.shape.value_width) * sizeof(C);
  }

  void launch(const Launch& launch) const {
    const std::int64_t count = items();
    host->parallel_for(0, chunks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t chunk = begin; chunk < end; ++chunk) {
        C* scores = launch.workspace<C>(static_cast<std::uint64_t>(chunk) * scratch_bytes());
        run_widest([&](auto) LOCI_INLINE {
          for (std::int64_t i = chunk * count / chunks; i < (chunk + 1) * count / chunks; ++i) {
            attend(common.head(launch, i / common.shape.queries), i % common.shape.queries, scores);
          }
        });
      }
    });
  }

  LOCI_INLINE void attend(const Head<T>& head, std::int64_t row, C* scores) const {
    const AttentionGeometry& shape = common.shape;
    const T* query = head.query + row * shape.query_row();
    for (std::int64_t j = 0; j < shape.keys; ++j) {
      const T* key = head.key + j * shape.query_row();
      scores[j] = common.factor * sum_terms<C>(shape.width, [&](std::int64_t i) LOCI_INLINE {
                    return static_cast<C>(query[i]) * static_cast<C>(key[i]);
                  });
    }
    if (head.mask != nullptr) {
      const T* mask = head.mask + row * common.mask.query;
      for (std::int64_t j = 0; j < shape.keys; ++j) {
        scores[j] += static_cast<C>(mask[j * common.mask.key]);
      }
    }
    weigh_scores(scores, shape.keys, common.zeroes_hidden);
    C* sums = scores + shape.keys;
    std::fill(sums, sums + shape.value_width, C(0));
    for (std::int64_t j = 0; j < shape.keys; ++j) {
      const T* value = head.value + j * shape.value_row();
      const C weight = scores[j];
#pragma omp simd
      for (std::int64_t i = 0; i < shape.value_width; ++i) {
        sums[i] += weight * static_cast<C>(value[i]);
      }
    }
    T* out = head.out + row * shape.value_row();
#pragma omp simd
    for (std::int64_t i = 0; i < shape.value_width; ++i) out[i] = static_cast<T>(sums[i]);
  }

  const sdk::Host* host;
  Common<T> common;
  std::int64_t chunks;
};

// Queries in blocks, by products with keys and values that are packed once for a head.
struct ByBlocks {
  // Floats of the scores of a block: a quarter of a small second cache.
  static constexpr std::int64_t kMostScores = 32'768;

  ByBlocks(const sdk::Host& owner, const Common<float>& what, std::int64_t threads)
      : host(&owner),
        common(what),
        rows(std::clamp<std::int64_t>(kMostScores / what.shape.keys, 12, 96)),
        blocks((what.shape.queries + rows - 1) / rows),
        chunks(std::min(threads, what.shape.batch * what.shape.heads * blocks)),
        keys(what.shape.width, what.shape.keys, panel_width()),
        values(what.shape.keys, what.shape.value_width, panel_width()) {}

  // Keys, values, scores and results of a chunk.
  [[nodiscard]] std::int64_t scratch() const {
    constexpr std::int64_t kLine = 16;
    const std::int64_t floats =
        keys.elements() + values.elements() + rows * (common.shape.keys + common.shape.value_width);
    return (floats + kLine - 1) / kLine * kLine;
  }

  void launch(const Launch& launch) const {
    const std::int64_t items = common.shape.batch * common.shape.heads * blocks;
    host->parallel_for(0, chunks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t chunk = begin; chunk < end; ++chunk) {
        float* scratch_of_chunk = launch.workspace<float>() + chunk * scratch();
        run(launch, chunk * items / chunks, (chunk + 1) * items / chunks, scratch_of_chunk);
      }
    });
  }

  void run(const Launch& launch, std::int64_t begin, std::int64_t end, float* scratch_begin) const {
    float* packed_keys = scratch_begin;
    float* packed_values = packed_keys + keys.elements();
    float* scores = packed_values + values.elements();
    for (std::int64_t item = begin; item < end; ++item) {
      const Head<float> head = common.head(launch, item / blocks);
      if (item == begin || item % blocks == 0) pack_head(head, packed_keys, packed_values);
      const std::int64_t first = item % blocks * rows;
      attend(head, first, std::min(rows, common.shape.queries - first), packed_keys, packed_values,
             scores);
    }
  }

  void pack_head(const Head<float>& head, float* packed_keys, float* packed_values) const {
    pack(keys, head.key, 1, common.shape.query_row(), packed_keys);
    pack(values, head.value, common.shape.value_row(), 1, packed_values);
    const float factor = common.factor;
    run_widest([&](auto) LOCI_INLINE {
#pragma omp simd
      for (std::int64_t i = 0; i < keys.elements(); ++i) packed_keys[i] *= factor;
    });
  }

  void attend(const Head<float>& head, std::int64_t first, std::int64_t count,
              const float* packed_keys, const float* packed_values, float* scores) const {
    const AttentionGeometry& shape = common.shape;
    const std::int64_t row = shape.query_row();
    multiply_packed_here({count, row, keys}, head.query + first * row, packed_keys, scores);
    run_widest([&](auto) LOCI_INLINE {
      for (std::int64_t r = 0; r < count; ++r) {
        float* line = scores + r * shape.keys;
        if (head.mask != nullptr) {
          add_mask(head.mask + (first + r) * common.mask.query, common.mask.key, shape.keys, line);
        }
        weigh_scores(line, shape.keys, common.zeroes_hidden);
      }
    });
    float* seen = scores + rows * shape.keys;
    multiply_packed_here({count, shape.keys, values}, scores, packed_values, seen);
    for (std::int64_t r = 0; r < count; ++r) {
      std::copy_n(seen + r * shape.value_width, shape.value_width,
                  head.out + (first + r) * shape.value_row());
    }
  }

  const sdk::Host* host;
  Common<float> common;
  std::int64_t rows;
  std::int64_t blocks;
  std::int64_t chunks;
  PackedMatrix keys;
  PackedMatrix values;
};

// Without keys all weights are those of nothing.
template <class T>
struct NoKeys {
  void launch(const Launch& launch) const { std::fill_n(launch.output<T>(0), count, T(0.0F)); }
  std::int64_t count;
};

// Below, packing takes longer than it saves.
constexpr std::int64_t kLeastQueries = 8;

class Attention final : public sdk::Kernel {
 public:
  explicit Attention(const OpDesc& op) : options_(op) {}

  void prepare(Prepare& prepare) const override {
    sdk::visit_floats(prepare.op().input(kQuery).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const Common<T> common(prepare.op(), options_);
      if (common.shape.keys == 0) {
        return prepare.emplace<NoKeys<T>>(prepare.op().output(0).numel());
      }
      if constexpr (std::is_same_v<T, float>) {
        if (common.shape.queries >= kLeastQueries) return by_blocks(prepare, common);
      }
      by_rows(prepare, common);
    });
  }

 private:
  static void by_blocks(Prepare& prepare, const Common<float>& common) {
    const ByBlocks prepared(prepare.host(), common, prepare.host().parallel_width());
    prepare.set_workspace(static_cast<std::uint64_t>(prepared.chunks * prepared.scratch()) *
                          sizeof(float));
    prepare.emplace<ByBlocks>(prepared);
  }

  template <class T>
  static void by_rows(Prepare& prepare, const Common<T>& common) {
    ByRows<T> prepared{&prepare.host(), common, 1};
    const double scores = static_cast<double>(prepared.items()) *
                          static_cast<double>(common.shape.keys * (common.shape.width + 16));
    const double worthwhile = static_cast<double>(grain_for(ByRows<T>::kPicoseconds));
    const std::int64_t wanted =
        std::min<std::int64_t>(prepared.items(), prepare.host().parallel_width());
    prepared.chunks =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(std::min(scores / worthwhile, 1e6)), 1,
                                 std::max<std::int64_t>(wanted, 1));
    prepare.set_workspace(static_cast<std::uint64_t>(prepared.chunks) * prepared.scratch_bytes());
    prepare.emplace<ByRows<T>>(prepared);
  }

  AttentionOptions options_;
};

}  // namespace

void add_attention(KernelDefs& kernels) {
  add_attention_grad(kernels);
  kernels.push_back({.op = "attention",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<Attention>});
}

}  // namespace loci::kernels
