#include "kernels/reduction.h"

#include <algorithm>
#include <loci/plugin/dtype_visit.hpp>

#include "kernels/team_size.h"

namespace loci::cuda {
namespace {

constexpr std::uint64_t kMostStateBytes = 16;  // of a fold

// Few outputs are split until there are so many blocks, as long as a thread has so many elements.
constexpr std::int64_t kWantedBlocks = 512;
constexpr std::int64_t kElementsOfThread = 16;
// From so many on, a whole block folds a row.
constexpr std::int64_t kRowOfBlock = 1024;

std::int64_t row_width(std::int64_t count, loci_dtype dtype) {
  return count >= kRowOfBlock ? kTeamBlock : lanes_of_row(count, count, dtype);
}

// A warp's worth, or more if columns are short.
std::int64_t column_width(std::int64_t inner, std::int64_t count) {
  const std::int64_t side_by_side = power_from(std::min(inner, kTeamBlock));
  return std::min(side_by_side,
                  std::max(kTeamWarp, kTeamBlock / power_from(std::min(count, kTeamBlock))));
}

// `teams` fold parts at once, of so many threads each.
void split(ReduceLayout& layout, std::int64_t blocks, std::int64_t threads) {
  const std::int64_t most = layout.count / (threads * kElementsOfThread);
  const std::int64_t wanted = kWantedBlocks / std::max<std::int64_t>(blocks, 1);
  const std::int64_t splits = std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(most, 1));
  // Whole vectors, whatever the dtype.
  layout.chunk = quotient_up(quotient_up(layout.count, splits), kTeamWarp) * kTeamWarp;
  layout.splits =
      layout.count == 0 ? 1 : static_cast<std::int32_t>(quotient_up(layout.count, layout.chunk));
}

}  // namespace

loci_dtype bits_of(loci_dtype dtype) {
  switch (dtype) {
    case LOCI_DTYPE_I8: return LOCI_DTYPE_U8;
    case LOCI_DTYPE_I16: return LOCI_DTYPE_U16;
    case LOCI_DTYPE_I32: return LOCI_DTYPE_U32;
    case LOCI_DTYPE_I64: return LOCI_DTYPE_U64;
    default: return dtype;
  }
}

StridedAxes strided_axes(const sdk::AxisList& axes) {
  StridedAxes strided{axes.rank, {}};
  for (int i = 0; i < axes.rank; ++i) {
    const auto from = static_cast<std::size_t>(axes.rank - 1 - i);
    const std::int64_t extent = axes.extents[from];
    strided.axes[i] = {extent, division_by(std::max<std::int64_t>(extent, 2)),
                       axes.strides[from][0]};
  }
  return strided;
}

ReduceLayout reduce_layout(const sdk::ReducePlan& plan, loci_dtype dtype) {
  ReduceLayout layout{};
  layout.outputs = plan.outputs();
  layout.count = plan.reduced_count();
  layout.inner = plan.inner;
  if (plan.inner_is_reduced) {
    const std::int64_t width = row_width(layout.count, dtype);
    layout.width = static_cast<std::int32_t>(width);
    layout.kept = strided_axes(plan.kept);
    layout.reduced = strided_axes(plan.all_reduced());
    split(layout, quotient_up(layout.outputs * width, kTeamBlock), width);
  } else {
    const std::int64_t width = column_width(plan.inner, layout.count);
    layout.width = static_cast<std::int32_t>(width);
    layout.kept = strided_axes(plan.kept);
    layout.reduced = strided_axes(plan.reduced);
    split(layout, plan.kept.count * quotient_up(plan.inner, width), kTeamBlock / width);
  }
  return layout;
}

Reduction::Reduction(const sdk::Prepare& prepare, const KernelImage& image, const std::string& name,
                     const sdk::ReducePlan& plan, loci_dtype dtype)
    : layout_(reduce_layout(plan, dtype)),
      threads_(plan.inner_is_reduced ? layout_.outputs * layout_.splits * layout_.width
                                     : plan.kept.count * quotient_up(plan.inner, layout_.width) *
                                           layout_.splits * kTeamBlock),
      fold_(prepare, image, name + (plan.inner_is_reduced ? "_rows" : "_columns")) {
  if (layout_.splits > 1) fold_parts_.emplace(prepare, image, name + "_parts");
}

std::uint64_t Reduction::partial_bytes() const {
  if (layout_.splits == 1) return 0;
  return static_cast<std::uint64_t>(layout_.outputs * layout_.splits) * kMostStateBytes;
}

}  // namespace loci::cuda
