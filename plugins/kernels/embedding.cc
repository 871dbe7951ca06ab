// embedding and its gradients.
#include <algorithm>
#include <cstring>
#include <loci/plugin/dtype_visit.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/row_ids.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;

constexpr std::int64_t kCacheLine = 64;
// Rows of a large table are seldom in a cache: so many of them are fetched ahead.
constexpr std::int64_t kAhead = 6;

// About what a row costs, for the choice of threads.
constexpr std::int64_t row_grain(std::int64_t row_bytes) {
  return grain_for(80'000 + row_bytes * 50);
}

struct Lookup {
  void launch(const Launch& launch) const {
    const auto* weight = launch.input<char>(0);
    const Labels ids(launch.input_view(1));
    auto* out = launch.output<char>(0);
    check_row_ids("embedding", ids, count, rows);
    if (row_bytes == 0) return;  // nor are there addresses to copy between
    host->parallel_for(0, count, row_grain(row_bytes), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        if (i + kAhead < end) prefetch(weight + ids[i + kAhead] * row_bytes);
        copy_row(weight, ids[i], out + i * row_bytes);
      }
    });
  }

  void prefetch(const char* row) const {
    for (std::int64_t byte = 0; byte < row_bytes; byte += kCacheLine) {
      __builtin_prefetch(row + byte);
    }
  }

  void copy_row(const char* weight, std::int64_t id, char* out) const {
    const auto bytes = static_cast<std::size_t>(row_bytes);
    if (id == padding) {
      std::memset(out, 0, bytes);
    } else {
      std::memcpy(out, weight + id * row_bytes, bytes);
    }
  }

  const sdk::Host* host;
  std::int64_t count;
  std::int64_t rows;
  std::int64_t row_bytes;
  std::int64_t padding;
};

class Embedding final : public sdk::Kernel {
 public:
  explicit Embedding(const OpDesc& op) : padding_(op.attributes().integer("padding_idx")) {}

  void prepare(Prepare& prepare) const override {
    const auto weight = prepare.op().input(0);
    const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(weight.dtype()));
    prepare.emplace<Lookup>(&prepare.host(), prepare.op().input(1).numel(), weight.dim(0),
                            weight.dim(1) * bytes, padding_);
  }

 private:
  std::int64_t padding_;
};

// The table is zeroed, and each row that occurs gets the sum of its gradients, rounded once.
template <class T>
struct DenseGrad {
  using C = sdk::compute_t<T>;

  void launch(const Launch& launch) const {
    const Labels ids(launch.input_view(1));
    const T* out_grad = launch.input<T>(2);
    T* out = launch.output<T>(0);
    auto* keys = launch.workspace<RowKey>();
    check_row_ids("embedding_grad", ids, count, rows);
    if (width == 0) return;
    sort_row_ids(ids, count, keys);
    zero(out);
    host->parallel_for(0, count, row_grain(width * static_cast<std::int64_t>(sizeof(T))),
                       [&](std::int64_t begin, std::int64_t end) {
                         const RowKeyRange range = rows_that_begin_in(keys, count, begin, end);
                         run_widest([&](auto) LOCI_INLINE { add_rows(range, out_grad, out); });
                       });
  }

  void zero(T* out) const {
    host->parallel_for(0, rows * width, grain_for(50 * sizeof(T)),
                       [&](std::int64_t begin, std::int64_t end) {
                         std::memset(static_cast<void*>(out + begin), 0,
                                     static_cast<std::size_t>(end - begin) * sizeof(T));
                       });
  }

  LOCI_INLINE void add_rows(RowKeyRange range, const T* out_grad, T* out) const {
    C sum[kRowBlock];
    for (const RowKey* first = range.first; first != range.last;) {
      const RowKey* last = first + 1;
      while (last != range.last && row_of(*last) == row_of(*first)) ++last;
      for (std::int64_t column = 0; row_of(*first) != padding && column < width;
           column += kRowBlock) {
        const std::int64_t block = std::min(kRowBlock, width - column);
        sum_row_block(first, last, out_grad, width, column, block, sum);
        T* target = out + row_of(*first) * width + column;
        for (std::int64_t i = 0; i < block; ++i) target[i] = static_cast<T>(sum[i]);
      }
      first = last;
    }
  }

  const sdk::Host* host;
  std::int64_t count;
  std::int64_t rows;
  std::int64_t width;
  std::int64_t padding;
};

class EmbeddingGrad final : public sdk::Kernel {
 public:
  explicit EmbeddingGrad(const OpDesc& op) : padding_(op.attributes().integer("padding_idx")) {}

  void prepare(Prepare& prepare) const override {
    const auto weight = prepare.op().output(0);
    const std::int64_t count = prepare.op().input(1).numel();
    prepare.set_workspace(static_cast<std::uint64_t>(count) * sizeof(RowKey));
    sdk::visit_floats(weight.dtype(), [&](auto tag) {
      prepare.emplace<DenseGrad<typename decltype(tag)::type>>(
          &prepare.host(), count, weight.dim(0), weight.dim(1), padding_);
    });
  }

  static std::string supports(const OpDesc& op) {
    const auto weight = op.output(0);
    const auto ids = op.input(1);
    if (!weight.has_dims() || !ids.has_dims()) return {};
    return row_keys_refusal(weight.dim(0), ids.numel());
  }

 private:
  std::int64_t padding_;
};

// Both outputs are copies, except that padding has no gradient.
struct RowsGrad {
  void launch(const Launch& launch) const {
    const Labels ids(launch.input_view(0));
    const auto* out_grad = launch.input<char>(1);
    auto* rows = launch.output<char>(0);
    auto* values = launch.output<char>(1);
    if (count == 0) return;
    std::memcpy(rows, launch.input<char>(0), static_cast<std::size_t>(count * id_bytes));
    if (row_bytes == 0) return;
    if (values != out_grad) copy(out_grad, values);
    if (padding < 0) return;
    for (std::int64_t i = 0; i < count; ++i) {
      if (ids[i] == padding) {
        std::memset(values + i * row_bytes, 0, static_cast<std::size_t>(row_bytes));
      }
    }
  }

  void copy(const char* from, char* to) const {
    host->parallel_for(
        0, count * row_bytes, grain_for(50), [&](std::int64_t begin, std::int64_t end) {
          std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
        });
  }

  const sdk::Host* host;
  std::int64_t count;
  std::int64_t id_bytes;
  std::int64_t row_bytes;
  std::int64_t padding;
};

class EmbeddingRowsGrad final : public sdk::Kernel {
 public:
  explicit EmbeddingRowsGrad(const OpDesc& op) : padding_(op.attributes().integer("padding_idx")) {}

  void prepare(Prepare& prepare) const override {
    const auto rows = prepare.op().output(0);
    const auto values = prepare.op().output(1);
    const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(values.dtype()));
    prepare.emplace<RowsGrad>(&prepare.host(), rows.numel(),
                              static_cast<std::int64_t>(sdk::dtype_bytes(rows.dtype())),
                              values.dim(1) * bytes, padding_);
  }

 private:
  std::int64_t padding_;
};

}  // namespace

void add_embedding(KernelDefs& kernels) {
  constexpr std::uint64_t kIndexBits =
      LOCI_DTYPE_BIT(LOCI_DTYPE_I32) | LOCI_DTYPE_BIT(LOCI_DTYPE_I64);
  kernels.push_back({.op = "embedding",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<Embedding>});
  kernels.push_back({.op = "embedding_grad",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<EmbeddingGrad>,
                     .supports = EmbeddingGrad::supports});
  kernels.push_back({.op = "embedding_rows_grad",
                     .name = kPortable,
                     .dtypes = kIndexBits,
                     .create = sdk::make_kernel<EmbeddingRowsGrad>,
                     .aliases = {{1, 1}}});
}

}  // namespace loci::kernels
