#include "kernels/move/strided_copy.h"

#include <algorithm>

#include "kernels/launch/block_threads.h"
#include "kernels/launch/team_size.h"

extern "C" const unsigned long long loci_cuda_strided_copy[];

namespace loci::cuda {
namespace {

using sdk::StridedCopyPlan;

constexpr KernelImage kStridedCopyImage{"strided_copy", loci_cuda_strided_copy};
constexpr int kMostWidth = 4;

// The lowest bit that is set in any of what was added is what all of it is a multiple of.
class CommonAlignment {
 public:
  explicit CommonAlignment(std::uint64_t alignment) : bits_(alignment) {}
  void add(std::int64_t bytes) { bits_ |= static_cast<std::uint64_t>(bytes); }
  [[nodiscard]] int width() const {
    int width = 0;
    while (width < kMostWidth && (bits_ >> width & 1U) == 0) ++width;
    return width;
  }

 private:
  std::uint64_t bits_;
};

// Adds an axis outside of the others. One position is none.
void push_axis(StridedAxes* axes, std::int64_t extent, std::int64_t from, std::int64_t to) {
  if (extent == 1) return;
  axes->axes[axes->rank++] = {extent, fast_division_by(extent), {from, to}};
  axes->count *= extent;
}

// Those of the plan but for `skipped` innermost ones.
void push_axes(StridedAxes* axes, const StridedCopyPlan& plan, std::size_t skipped) {
  for (std::size_t i = skipped; i < plan.rank(); ++i) {
    const StridedCopyPlan::Axis& axis = plan.inner(i);
    push_axis(axes, axis.extent, axis.from, axis.to);
  }
}

// Without an axis there is one position.
void close(StridedAxes* axes) {
  if (axes->rank == 0) axes->axes[axes->rank++].extent = 1;
}

std::int64_t side_of(int width) { return std::min(kMostSquareSide, 16 >> width); }

}  // namespace

int copy_width(const StridedCopyPlan& plan, std::uint64_t alignment) {
  CommonAlignment common(alignment);
  common.add(plan.unit());
  for (std::size_t i = 0; i < plan.rank(); ++i) {
    common.add(plan.inner(i).from);
    common.add(plan.inner(i).to);
  }
  return common.width();
}

StridedAxes strided_axes(const StridedCopyPlan& plan, int width) {
  StridedAxes axes{1, 0, {}};
  const std::int64_t bytes = std::int64_t{1} << width;
  push_axis(&axes, plan.unit() >> width, bytes, bytes);
  push_axes(&axes, plan, 0);
  close(&axes);
  return axes;
}

TransposedAxes transposed_axes(const StridedCopyPlan& plan) {
  const StridedCopyPlan::Axis& lines = plan.inner(1);
  const StridedCopyPlan::Axis& row = plan.inner(0);
  TransposedAxes axes{{1, 0, {}}, lines.extent, row.extent, row.from, lines.to};
  push_axes(&axes.outer, plan, 2);
  close(&axes.outer);
  return axes;
}

bool are_squares(const TransposedAxes& axes, int width, std::uint64_t alignment) {
  const std::int64_t side = side_of(width);
  if (axes.lines % side != 0 || axes.columns % side != 0) return false;
  CommonAlignment common(alignment);
  common.add(axes.from_step);
  common.add(axes.to_step);
  for (int i = 0; i < axes.outer.rank; ++i) {
    for (const std::int64_t step : axes.outer.axes[i].steps) common.add(step);
  }
  return std::int64_t{1} << common.width() >= side << width;
}

TransposedTiles transposed_tiles(const TransposedAxes& axes, std::int64_t side) {
  const std::int64_t down = quotient_up(axes.lines, side);
  const std::int64_t across = quotient_up(axes.columns, side);
  const bool is_down_inside = down <= across;
  return {axes.outer.count * down * across, fast_divmod_of(std::min(down, across)),
          fast_divmod_of(std::max(down, across)), is_down_inside};
}

StridedCopier::StridedCopier(const sdk::Prepare& prepare) {
  for (int width = 0; width <= kMostWidth; ++width) {
    const std::string bytes = std::to_string(1 << width);
    rows_.emplace_back(prepare, kStridedCopyImage, "copy_" + bytes);
    tiles_.emplace_back(prepare, kStridedCopyImage, "transpose_" + bytes);
    squares_.emplace_back(prepare, kStridedCopyImage, "transpose_squares_" + bytes);
  }
}

void StridedCopier::launch(const sdk::Launch& launch, const StridedCopyPlan& plan, const char* from,
                           char* to) const {
  if (plan.empty()) return;
  const auto addresses =
      reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
  const int width = copy_width(plan, addresses);
  const bool is_one_unit = plan.unit() == std::int64_t{1} << width;
  if (plan.loop() == StridedCopyPlan::Loop::kTransposed && is_one_unit) {
    return launch_tiles(launch, transposed_axes(plan), from, to, width);
  }
  launch_rows(launch, plan, from, to, width);
}

void StridedCopier::launch_rows(const sdk::Launch& launch, const StridedCopyPlan& plan,
                                const char* from, char* to, int width) const {
  const StridedAxes axes = strided_axes(plan, width);
  rows_[static_cast<std::size_t>(width)].launch(launch, axes.count, from, to, axes);
}

void StridedCopier::launch_tiles(const sdk::Launch& launch, const TransposedAxes& axes,
                                 const char* from, char* to, int width) const {
  const auto addresses =
      reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
  const bool in_squares = are_squares(axes, width, addresses);
  const auto& functions = in_squares ? squares_ : tiles_;
  const TransposedTiles tiles =
      transposed_tiles(axes, in_squares ? kTileSquares * side_of(width) : kTileSide);
  functions[static_cast<std::size_t>(width)].launch(launch, tiles.count * kBlockThreads, from, to,
                                                    axes, tiles);
}

}  // namespace loci::cuda
