// embedding and its gradients.
#include <cstring>
#include <loci/plugin/dtype_visit.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/row_gather.h"
#include "plugins/kernels/row_sums.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;

class Embedding final : public sdk::Kernel {
 public:
  explicit Embedding(const OpDesc& op) : padding_(op.attributes().integer("padding_idx")) {}

  void prepare(Prepare& prepare) const override {
    const auto weight = prepare.op().input(0);
    const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(weight.dtype()));
    prepare.emplace<RowGather>(RowGather{.op = "embedding",
                                         .host = &prepare.host(),
                                         .count = prepare.op().input(1).numel(),
                                         .rows = weight.dim(0),
                                         .row_bytes = weight.dim(1) * bytes,
                                         .padding = padding_});
  }

 private:
  std::int64_t padding_;
};

class EmbeddingGrad final : public sdk::Kernel {
 public:
  explicit EmbeddingGrad(const OpDesc& op) : padding_(op.attributes().integer("padding_idx")) {}

  void prepare(Prepare& prepare) const override {
    const auto weight = prepare.op().output(0);
    const std::int64_t count = prepare.op().input(1).numel();
    prepare.set_workspace(row_keys_bytes(count));
    sdk::visit_floats(weight.dtype(), [&](auto tag) {
      using Grad = RowSums<typename decltype(tag)::type>;
      prepare.emplace<Grad>(Grad{.op = "embedding_grad",
                                 .host = &prepare.host(),
                                 .count = count,
                                 .rows = weight.dim(0),
                                 .width = weight.dim(1),
                                 .padding = padding_});
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

// Both outputs are copies, except that padding is no row and has no gradient.
struct RowsGrad {
  void launch(const Launch& launch) const {
    const IntegerView ids(launch.input_view(0));
    const auto* out_grad = launch.input<char>(1);
    auto* rows = launch.output<char>(0);
    auto* values = launch.output<char>(1);
    if (count == 0) return;
    std::memcpy(rows, launch.input<char>(0), static_cast<std::size_t>(count * id_bytes));
    if (row_bytes != 0 && values != out_grad) copy(out_grad, values);
    if (padding < 0) return;
    for (std::int64_t i = 0; i < count; ++i) {
      if (ids[i] != padding) continue;
      // All bits of kNoRow are set, in each type of ids.
      std::memset(rows + i * id_bytes, 0xFF, static_cast<std::size_t>(id_bytes));
      if (row_bytes != 0) {
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
