#include "kernels/gather/row_scatter.h"

#include <loci/plugin/dtype_visit.hpp>

extern "C" const unsigned long long loci_cuda_scatter_rows[];

namespace loci::cuda {
namespace {

constexpr KernelImage kScatterRowsImage{"scatter_rows", loci_cuda_scatter_rows};

std::optional<Reduction> reduction_of(std::string_view name) {
  if (name == "add") return Reduction::kAdd;
  if (name == "mul") return Reduction::kMul;
  if (name == "max") return Reduction::kMax;
  if (name == "min") return Reduction::kMin;
  return std::nullopt;
}

// Rows that are only moved are so by the size of their elements.
std::string function_name(RowScatter::Kind kind, bool reduces, loci_dtype dtype) {
  if (kind == RowScatter::Kind::kGradient)
    return typed_name("kept_rows", of_size(sdk::dtype_bytes(dtype)));
  if (reduces) return typed_name("reduce_rows", dtype);
  return typed_name("replace_rows", of_size(sdk::dtype_bytes(dtype)));
}

}  // namespace

RowScatter::RowScatter(const sdk::Prepare& prepare, Kind kind, const std::string& reduction,
                       const ScatterRows& scatter, std::int64_t rows)
    : scatter_(scatter),
      reduction_(reduction_of(reduction)),
      sort_(prepare, LOCI_DTYPE_I64, scatter.count, rows, RowNames::kIds, "rows of a scatter"),
      write_(prepare, kScatterRowsImage,
             function_name(kind, reduction_.has_value(), prepare.op().input(0).dtype())) {}

void RowScatter::launch(const sdk::Launch& launch, const void* from, void* to) const {
  if (scatter_.count == 0 || scatter_.width == 0) return;
  const auto* rows = launch.workspace<std::int64_t>();
  auto* keys = launch.workspace<std::uint64_t>(static_cast<std::uint64_t>(scatter_.count) *
                                               sizeof(std::int64_t));
  const std::uint64_t* sorted = sort_.launch(launch, rows, keys);
  const std::int64_t items = scatter_.count * scatter_.width;
  if (reduction_) {
    write_.launch(launch, items, sorted, from, to, scatter_, *reduction_);
  } else {
    write_.launch(launch, items, sorted, from, to, scatter_);
  }
}

}  // namespace loci::cuda
