// attention_grad of float32: the scores of some queries of one head at a time are computed anew,
// and stay in the cache as attention's do. Others are decomposed.
#include <algorithm>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/attention_shape.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/packed_product.h"
#include "plugins/kernels/transpose_squares.h"

namespace loci::kernels {
namespace {

using sdk::Launch;

constexpr std::uint32_t kOutGrad = 4;
enum Result : std::uint32_t { kQueryGrad, kKeyGrad, kValueGrad };

// One head of one element of the batch, from its first row on.
struct Arguments {
  const float* query;
  const float* key;
  const float* value;
  const float* mask;  // null: none
  const float* out_grad;
  float* query_grad;
  float* key_grad;
  float* value_grad;
};

void add_to(float* sum, const float* part, std::int64_t count) {
  run_widest([&](auto) LOCI_INLINE {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) sum[i] += part[i];
  });
}

void scale(float* x, float factor, std::int64_t count) {
  run_widest([&](auto) LOCI_INLINE {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) x[i] *= factor;
  });
}

// The memory that the thread that works on a head has to itself.
struct Scratch {
  float* packed_keys;      // [width, keys], times the factor
  float* packed_key_rows;  // [keys, width], times the factor
  float* packed_values;    // [value width, keys]
  float* weights;          // of a block of queries, [rows, keys]
  float* score_grads;      // of the same
  float* packed_scores;    // one of both
  float* turned;           // a block of query or out_grad, [width, rows]
  float* part;             // what a block adds to a sum
  float* sums;             // of keys, [width, keys], and of values, [value width, keys]
};

class AttentionGradLaunch {
 public:
  AttentionGradLaunch(const sdk::Host& host, const AttentionShape<float>& what)
      : host_(&host),
        what_(what),
        rows_(std::clamp<std::int64_t>(kMostScores / what.shape.keys, 12, 96)),
        parts_(std::clamp<std::int64_t>(kWantedTasks / heads(), 1, blocks())),
        chunks_(std::min<std::int64_t>(host.parallel_width(), heads() * parts_)),
        keys_(what.shape.width, what.shape.keys, panel_width()),
        key_rows_(what.shape.keys, what.shape.width, panel_width()),
        values_(what.shape.value_width, what.shape.keys, panel_width()) {}

  [[nodiscard]] std::uint64_t workspace_bytes() const {
    return static_cast<std::uint64_t>(chunks_ * scratch_floats() + kept_floats()) * sizeof(float);
  }

  void launch(const Launch& launch) const {
    const std::int64_t tasks = heads() * parts_;
    host_->parallel_for(0, chunks_, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t chunk = begin; chunk < end; ++chunk) {
        const Scratch scratch = scratch_at(launch.workspace<float>() + chunk * scratch_floats());
        const std::int64_t last = (chunk + 1) * tasks / chunks_;
        for (std::int64_t i = chunk * tasks / chunks_; i < last; ++i) run_task(launch, i, scratch);
      }
    });
    if (parts_ == 1) return;
    host_->parallel_for(0, heads(), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t head = begin; head < end; ++head) add_parts(launch, head);
    });
  }

 private:
  // Floats of the weights of a block, of which there are three: half of a second cache. Products
  // over fewer rows take longer.
  static constexpr std::int64_t kMostScores = 49'152;

  // Heads, or parts of the queries of fewer heads, that threads may share. Not their number, on
  // which no sum depends.
  static constexpr std::int64_t kWantedTasks = 8;

  [[nodiscard]] std::int64_t heads() const { return what_.shape.batch * what_.shape.heads; }
  [[nodiscard]] std::int64_t blocks() const { return (what_.shape.queries + rows_ - 1) / rows_; }
  [[nodiscard]] std::int64_t sum_floats() const {
    return whole_lines((what_.shape.width + what_.shape.value_width) * what_.shape.keys);
  }
  // Sums of parts, behind the scratch memory.
  [[nodiscard]] std::int64_t kept_floats() const {
    return parts_ == 1 ? 0 : heads() * parts_ * sum_floats();
  }
  [[nodiscard]] float* kept_sums(const Launch& launch, std::int64_t task) const {
    return launch.workspace<float>() + chunks_ * scratch_floats() + task * sum_floats();
  }
  [[nodiscard]] std::int64_t most_width() const {
    return std::max(what_.shape.width, what_.shape.value_width);
  }
  [[nodiscard]] PackedMatrix scores_of(std::int64_t rows) const {
    return {rows, what_.shape.keys, panel_width()};
  }

  // Calls visit(floats), in the order of Scratch.
  template <class Visit>
  void for_each_part(const Visit& visit) const {
    const AttentionGeometry& shape = what_.shape;
    visit(keys_.elements());
    visit(key_rows_.elements());
    visit(values_.elements());
    visit(rows_ * shape.keys);
    visit(rows_ * shape.keys);
    visit(scores_of(rows_).elements());
    visit(most_width() * rows_);
    visit(most_width() * std::max(shape.keys, rows_));
    visit(parts_ == 1 ? sum_floats() : 0);
  }

  static constexpr std::int64_t whole_lines(std::int64_t floats) { return (floats + 15) / 16 * 16; }
  [[nodiscard]] std::int64_t scratch_floats() const {
    std::int64_t total = 0;
    for_each_part([&](std::int64_t floats) { total += whole_lines(floats); });
    return total;
  }
  [[nodiscard]] Scratch scratch_at(float* at) const {
    float* parts[9];
    float** next = parts;
    for_each_part([&](std::int64_t floats) {
      *next++ = at;
      at += whole_lines(floats);
    });
    return {parts[0], parts[1], parts[2], parts[3], parts[4],
            parts[5], parts[6], parts[7], parts[8]};
  }

  [[nodiscard]] Arguments arguments(const Launch& launch, std::int64_t number) const {
    const AttentionGeometry& shape = what_.shape;
    const std::int64_t b = number / shape.heads;
    const std::int64_t h = number % shape.heads;
    const auto of_query = [&](std::int64_t length) {
      return b * length * shape.query_row() + h * shape.width;
    };
    const auto of_value = [&](std::int64_t length) {
      return b * length * shape.value_row() + h * shape.value_width;
    };
    const std::int64_t masked = b * what_.mask.batch + h * what_.mask.head;
    return {launch.input<float>(kQuery) + of_query(shape.queries),
            launch.input<float>(kKey) + of_query(shape.keys),
            launch.input<float>(kValue) + of_value(shape.keys),
            what_.has_mask ? launch.input<float>(kMask) + masked : nullptr,
            launch.input<float>(kOutGrad) + of_value(shape.queries),
            launch.output<float>(kQueryGrad) + of_query(shape.queries),
            launch.output<float>(kKeyGrad) + of_query(shape.keys),
            launch.output<float>(kValueGrad) + of_value(shape.keys)};
  }

  // A part of a head's queries.
  void run_task(const Launch& launch, std::int64_t task, Scratch scratch) const {
    const Arguments head = arguments(launch, task / parts_);
    const std::int64_t part = task % parts_;
    if (parts_ > 1) scratch.sums = kept_sums(launch, task);
    pack_head(head, scratch);
    std::fill_n(scratch.sums, sum_floats(), 0.0F);
    const std::int64_t end = (part + 1) * blocks() / parts_;
    for (std::int64_t block = part * blocks() / parts_; block < end; ++block) {
      const std::int64_t first = block * rows_;
      run_block(head, first, std::min(rows_, what_.shape.queries - first), scratch);
    }
    if (parts_ == 1) write_sums(head, scratch.sums);
  }

  void add_parts(const Launch& launch, std::int64_t head) const {
    float* sums = kept_sums(launch, head * parts_);
    for (std::int64_t part = 1; part < parts_; ++part) {
      add_to(sums, kept_sums(launch, head * parts_ + part), sum_floats());
    }
    write_sums(arguments(launch, head), sums);
  }

  void write_sums(const Arguments& head, float* sums) const {
    const AttentionGeometry& shape = what_.shape;
    scale(sums, what_.factor, shape.width * shape.keys);
    transpose(sums, shape.keys, shape.width, shape.keys, head.key_grad, shape.query_row());
    transpose(value_sums(sums), shape.keys, shape.value_width, shape.keys, head.value_grad,
              shape.value_row());
  }
  [[nodiscard]] float* value_sums(float* sums) const {
    return sums + what_.shape.width * what_.shape.keys;
  }

  void pack_head(const Arguments& head, const Scratch& scratch) const {
    const AttentionGeometry& shape = what_.shape;
    pack(keys_, head.key, 1, shape.query_row(), scratch.packed_keys);
    pack(key_rows_, head.key, shape.query_row(), 1, scratch.packed_key_rows);
    pack(values_, head.value, 1, shape.value_row(), scratch.packed_values);
    scale(scratch.packed_keys, what_.factor, keys_.elements());
    scale(scratch.packed_key_rows, what_.factor, key_rows_.elements());
  }

  void run_block(const Arguments& head, std::int64_t first, std::int64_t count,
                 const Scratch& scratch) const {
    const AttentionGeometry& shape = what_.shape;
    const float* query = head.query + first * shape.query_row();
    const float* out_grad = head.out_grad + first * shape.value_row();
    multiply_packed_here({count, shape.query_row(), keys_}, query, scratch.packed_keys,
                         scratch.weights);
    make_weights(head, first, count, scratch.weights);
    multiply_packed_here({count, shape.value_row(), values_}, out_grad, scratch.packed_values,
                         scratch.score_grads);
    add_product(out_grad, shape.value_row(), shape.value_width, count, scratch.weights, scratch,
                value_sums(scratch.sums));
    make_score_grads(count, scratch);
    add_product(query, shape.query_row(), shape.width, count, scratch.score_grads, scratch,
                scratch.sums);
    multiply_packed_here({count, shape.keys, key_rows_}, scratch.score_grads,
                         scratch.packed_key_rows, scratch.part);
    for (std::int64_t r = 0; r < count; ++r) {
      std::copy_n(scratch.part + r * shape.width, shape.width,
                  head.query_grad + (first + r) * shape.query_row());
    }
  }

  void make_weights(const Arguments& head, std::int64_t first, std::int64_t count,
                    float* scores) const {
    const std::int64_t keys = what_.shape.keys;
    run_widest([&](auto) LOCI_INLINE {
      for (std::int64_t r = 0; r < count; ++r) {
        float* line = scores + r * keys;
        if (head.mask != nullptr) {
          add_mask(head.mask + (first + r) * what_.mask.query, what_.mask.key, keys, line);
        }
        weigh_scores(line, keys, what_.zeroes_hidden);
      }
    });
  }

  // weights * (gradients of weights - their mean by the weights), in the place of the gradients.
  void make_score_grads(std::int64_t count, const Scratch& scratch) const {
    const std::int64_t keys = what_.shape.keys;
    run_widest([&](auto) LOCI_INLINE {
      for (std::int64_t r = 0; r < count; ++r) {
        const float* weights = scratch.weights + r * keys;
        float* grads = scratch.score_grads + r * keys;
        const auto level = sum_terms<float>(
            keys, [=](std::int64_t j) LOCI_INLINE { return weights[j] * grads[j]; });
#pragma omp simd
        for (std::int64_t j = 0; j < keys; ++j) grads[j] = weights[j] * (grads[j] - level);
      }
    });
  }

  // sum[width, keys] += x^T scores, of a block's rows of x and scores.
  void add_product(const float* x, std::int64_t row, std::int64_t width, std::int64_t count,
                   const float* scores, const Scratch& scratch, float* sum) const {
    const PackedMatrix packed = scores_of(count);
    pack(packed, scores, what_.shape.keys, 1, scratch.packed_scores);
    transpose(x, row, count, width, scratch.turned, count);
    multiply_packed_here({width, count, packed}, scratch.turned, scratch.packed_scores,
                         scratch.part);
    add_to(sum, scratch.part, width * what_.shape.keys);
  }

  const sdk::Host* host_;
  AttentionShape<float> what_;
  std::int64_t rows_;
  std::int64_t parts_;  // of the queries of a head
  std::int64_t chunks_;
  PackedMatrix keys_;
  PackedMatrix key_rows_;
  PackedMatrix values_;
};

// Without keys or queries no score has a gradient.
struct NoScores {
  void launch(const Launch& launch) const {
    for (std::uint32_t i = 0; i < 3; ++i) {
      if (counts[i] > 0) std::fill_n(launch.output<float>(i), counts[i], 0.0F);
    }
  }
  std::array<std::int64_t, 3> counts;
};

class AttentionGrad final : public sdk::Kernel {
 public:
  explicit AttentionGrad(const sdk::OpDesc& op) : options_(op) {}

  void prepare(sdk::Prepare& prepare) const override {
    const AttentionShape<float> what(prepare.op(), options_);
    if (what.shape.batch * what.shape.queries * what.shape.keys == 0) {
      const auto count = [&](std::uint32_t i) { return prepare.op().output(i).numel(); };
      prepare.emplace<NoScores>(NoScores{{count(0), count(1), count(2)}});
      return;
    }
    const AttentionGradLaunch launch(prepare.host(), what);
    prepare.set_workspace(launch.workspace_bytes());
    prepare.emplace<AttentionGradLaunch>(launch);
  }

 private:
  AttentionOptions options_;
};

}  // namespace

void add_attention_grad(KernelDefs& kernels) {
  kernels.push_back({.op = "attention_grad",
                     .name = kPortable,
                     .dtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F32),
                     .create = sdk::make_kernel<AttentionGrad>});
}

}  // namespace loci::kernels
