#include "kernels/launch/thread_layouts.h"

#include <algorithm>

#include "kernels/launch/team_size.h"

namespace loci::cuda {
namespace {

// Columns side by side that still make whole sectors of memory.
constexpr std::int64_t kFewColumns = 8;

// Outputs that keep fewer blocks busy are split, as long as a thread has several loads under way.
constexpr std::int64_t kEnoughBlocks = 512;
constexpr std::int64_t kLoadsOfThread = 4;
// A block folds a row that is long, so that its threads have many elements each, or one of few.
constexpr std::int64_t kLongRow = 8192;
constexpr std::int64_t kRowOfBlock = 1024;
// Blocks of rows that come of splitting: the more, the less it matters which is the last. Those of
// columns leave a part for each of many outputs.
constexpr std::int64_t kBlocksOfRows = 2048;
constexpr std::int64_t kBlocksOfColumns = 1024;
// Threads side by side for the columns of a large tensor: 512 bytes.
constexpr std::int64_t kManyColumns = kTeamWarp;
// Rows of a thread that make up for folding what a block's threads have.
constexpr std::int64_t kRowsOfThread = 16;

std::int64_t row_width(std::int64_t outputs, std::int64_t count, loci_dtype dtype) {
  const bool are_few = outputs * kTeamWarp < kEnoughBlocks * kTeamBlock;
  return count >= (are_few ? kRowOfBlock : kLongRow) ? kTeamBlock
                                                     : lanes_of_row(count, count, dtype);
}

// Threads side by side, each for a column or several: so many, or more if columns are short.
std::int64_t column_width(std::int64_t columns, std::int64_t count, std::int64_t few) {
  const std::int64_t side_by_side = power_from(std::min(columns, kTeamBlock));
  return std::min(side_by_side,
                  std::max(few, kTeamBlock / power_from(std::min(count, kTeamBlock))));
}

// Into as many parts as there are blocks wanted for each of `blocks`, whose threads have `least`
// positions together, and of which each is a multiple.
void split(ReduceLayout& layout, std::int64_t blocks, std::int64_t wanted, std::int64_t least) {
  std::int64_t splits = 1;
  if (blocks < kEnoughBlocks) splits = std::min(wanted / blocks, layout.count / least);
  splits = std::max<std::int64_t>(splits, 1);
  // Whole vectors, whatever the dtype.
  layout.chunk = quotient_up(quotient_up(layout.count, splits), kTeamWarp) * kTeamWarp;
  layout.splits = fast_divmod_of(layout.count == 0 ? 1 : quotient_up(layout.count, layout.chunk));
  layout.parts_width =
      static_cast<std::int32_t>(column_width(layout.outputs, layout.splits.value, kFewColumns));
}

void lay_out_rows(ReduceLayout& layout, const sdk::ReducePlan& plan, loci_dtype dtype) {
  const std::int64_t width = row_width(layout.outputs, layout.count, dtype);
  layout.width = static_cast<std::int32_t>(width);
  layout.reduced = element_axes(plan.all_reduced());
  split(layout, quotient_up(layout.outputs * width, kTeamBlock), kBlocksOfRows,
        width * kLoadsOfThread * vector_lanes(dtype));
}

void lay_out_columns(ReduceLayout& layout, const sdk::ReducePlan& plan, loci_dtype dtype) {
  const std::int64_t most_lanes = std::min<std::int64_t>(vector_lanes(dtype), kMostColumnLanes);
  const std::int64_t lanes = plan.inner % most_lanes == 0 ? most_lanes : 1;
  const std::int64_t columns = plan.inner / lanes;
  const auto blocks = [&](std::int64_t width) {
    return std::max<std::int64_t>(plan.kept.count * quotient_up(columns, width), 1);
  };
  const std::int64_t rows_of_wide = kTeamBlock / kManyColumns * kRowsOfThread;
  const bool is_large = blocks(kManyColumns) * (layout.count / rows_of_wide) >= kEnoughBlocks;
  const std::int64_t width =
      column_width(columns, layout.count, is_large || lanes == 1 ? kManyColumns : kFewColumns);
  layout.lanes = static_cast<std::int32_t>(lanes);
  layout.width = static_cast<std::int32_t>(width);
  layout.strips = fast_divmod_of(quotient_up(columns, width));
  layout.reduced = element_axes(plan.reduced);
  split(layout, blocks(width), kBlocksOfColumns, kTeamBlock / width * kRowsOfThread);
}

// Vectors for each time that a block reads the rows which they share: with 24 and two of these,
// each of which is as long as a vector, 1/24 of what a kernel reads and writes.
constexpr std::int64_t kVectorsOfStaging = 24;
// Blocks that keep a multiprocessor's memory busy.
constexpr std::int64_t kBusyBlocks = 2;
// The bytes of shared memory that every device lets a block have, less the part that folds take.
constexpr std::int64_t kSharedBytes = std::int64_t{47} * 1024;

int held_by(std::int64_t threads, std::int64_t count, int most_held) {
  for (const int held : {kFewHeld, kManyHeld, kMostHeld}) {
    if (held <= most_held && count <= threads * held) return held;
  }
  return kNoneHeld;
}

// Some lanes of a warp, if their registers hold a row.
AxisVectors rows_of(const VectorLayout& layout, std::int64_t run, loci_dtype dtype, int most_held) {
  AxisVectors vectors{AxisWay::kRows, kNoneHeld, layout};
  const std::int64_t width =
      layout.count <= kTeamWarp * most_held ? lanes_of_row(layout.count, run, dtype) : kTeamBlock;
  vectors.layout.width = static_cast<std::int32_t>(width);
  vectors.held = held_by(width, layout.count, most_held);
  return vectors;
}

// So many vectors of 16 bytes, of one array, fill a thread's registers: as float32, and as halves,
// which are widened.
constexpr std::int64_t kMostFloatVectors = 16;
constexpr std::int64_t kMostHalfVectors = 8;
// Fewer rows than this leave multiprocessors idle if each has but a warp.
constexpr std::int64_t kFewRows = 2048;

// Vectors that a thread of `threads` has of a row.
std::int64_t vectors_each(const VectorLayout& layout, std::int64_t threads, loci_dtype dtype) {
  return power_from(quotient_up(layout.count / vector_lanes(dtype), threads));
}

bool are_whole(const VectorLayout& layout, loci_dtype dtype) {
  const bool are_floats =
      dtype == LOCI_DTYPE_F32 || dtype == LOCI_DTYPE_F16 || dtype == LOCI_DTYPE_BF16;
  return are_floats && layout.count != 0 && layout.count % vector_lanes(dtype) == 0 &&
         vectors_each(layout, kTeamBlock, dtype) <= kMostHalfVectors;
}

AxisVectors whole_rows_of(const VectorLayout& layout, loci_dtype dtype, int arrays) {
  const std::int64_t of_lane = vectors_each(layout, kTeamWarp, dtype);
  const bool is_long_float = dtype == LOCI_DTYPE_F32 && arrays == 1;
  const std::int64_t most = is_long_float ? kMostFloatVectors : kMostHalfVectors;
  const bool has_block = of_lane > most || (of_lane > 1 && layout.vectors < kFewRows);
  AxisVectors vectors{of_lane == 1 ? AxisWay::kLanes : AxisWay::kWarp, static_cast<int>(of_lane),
                      layout};
  std::int64_t width = kTeamWarp;
  if (of_lane == 1) width = power_from(layout.count / vector_lanes(dtype));
  if (has_block) {
    vectors.way = AxisWay::kBlock;
    vectors.held = static_cast<int>(vectors_each(layout, kTeamBlock, dtype));
    width = kTeamBlock;
  }
  vectors.layout.width = static_cast<std::int32_t>(width);
  return vectors;
}

// Fewer columns, and more threads for each, as long as registers do not hold one.
AxisVectors columns_of(const sdk::AxisSplit& split) {
  const std::int64_t side_by_side = power_from(std::min(split.inner, kTeamBlock));
  const std::int64_t threads =
      power_from(std::clamp(split.count / kFewHeld, std::int64_t{1}, kTeamBlock / kFewColumns));
  const std::int64_t width = std::min(side_by_side, kTeamBlock / threads);
  AxisVectors vectors{AxisWay::kColumns, held_by(kTeamBlock / width, split.count, kManyHeld), {}};
  vectors.layout.vectors = split.outer * split.inner;
  vectors.layout.count = split.count;
  vectors.layout.inner = split.inner;
  vectors.layout.width = static_cast<std::int32_t>(width);
  sdk::AxisList places;
  places.push_back(split.count, {split.inner});
  vectors.layout.places = element_axes(places);
  return vectors;
}

}  // namespace

ElementAxes element_axes(const sdk::AxisList& axes) {
  ElementAxes strided{axes.rank, {}};
  for (int i = 0; i < axes.rank; ++i) {
    const auto from = static_cast<std::size_t>(axes.rank - 1 - i);
    const std::int64_t extent = axes.extents[from];
    strided.axes[i] = {extent, fast_division_by(std::max<std::int64_t>(extent, 2)),
                       axes.strides[from][0]};
  }
  return strided;
}

ReduceLayout reduce_layout(const sdk::ReducePlan& plan, loci_dtype dtype) {
  ReduceLayout layout{};
  layout.outputs = plan.outputs();
  layout.count = plan.reduced_count();
  layout.inner = plan.inner;
  layout.kept = element_axes(plan.kept);
  if (plan.inner_is_reduced) {
    lay_out_rows(layout, plan, dtype);
  } else {
    lay_out_columns(layout, plan, dtype);
  }
  return layout;
}

std::int64_t threads_of(const ReduceLayout& layout, bool are_rows) {
  if (are_rows) return layout.outputs * layout.splits.value * layout.width;
  const std::int64_t rows = layout.inner == 0 ? 0 : layout.outputs / layout.inner;
  return rows * layout.strips.value * layout.splits.value * kTeamBlock;
}

std::int64_t threads_of_parts(const ReduceLayout& layout) {
  return quotient_up(layout.outputs, layout.parts_width) * kTeamBlock;
}

std::string AxisVectors::instance() const {
  const char* name = nullptr;
  switch (way) {
    case AxisWay::kRows: name = "_rows_"; break;
    case AxisWay::kColumns: name = "_columns_"; break;
    case AxisWay::kLanes: name = "_lanes_"; break;
    case AxisWay::kWarp: name = "_warp_"; break;
    case AxisWay::kBlock: name = "_block_"; break;
  }
  return name + std::to_string(held);
}

AxisVectors axis_vectors(const sdk::AxisSplit& split, loci_dtype dtype, const RowKernels& kernels) {
  if (split.inner != 1) return columns_of(split);
  return run_vectors({split.outer, 1, split.count, split.count}, dtype, kernels);
}

AxisVectors run_vectors(const RunRows& rows, loci_dtype dtype, const RowKernels& kernels) {
  VectorLayout layout{};
  layout.vectors = rows.rows;
  layout.count = rows.outer * rows.run;
  layout.row_step = rows.run;
  sdk::AxisList places;
  if (rows.outer != 1) places.push_back(rows.outer, {rows.step});
  places.push_back(rows.run, {1});
  layout.places = element_axes(places);
  if (kernels.whole_arrays != 0 && rows.outer == 1 && are_whole(layout, dtype)) {
    return whole_rows_of(layout, dtype, kernels.whole_arrays);
  }
  return rows_of(layout, rows.run, dtype, kernels.most_held);
}

std::int64_t threads_of(const AxisVectors& vectors) {
  const VectorLayout& layout = vectors.layout;
  if (!vectors.are_columns()) return layout.vectors * layout.width;
  const std::int64_t rows = layout.inner == 0 ? 0 : layout.vectors / layout.inner;
  return rows * quotient_up(layout.inner, layout.width) * kTeamBlock;
}

std::uint32_t staged_bytes(const AxisVectors& vectors, int rows, loci_dtype dtype) {
  const std::int64_t lanes = vector_lanes(dtype);
  const std::int64_t bytes = rows * quotient_up(vectors.layout.count, lanes) * 16;
  return bytes <= kSharedBytes ? static_cast<std::uint32_t>(bytes) : 0;
}

std::int64_t staging_blocks(const AxisVectors& vectors, std::int64_t multiprocessors) {
  const std::int64_t wanted = quotient_up(threads_of(vectors), kTeamBlock);
  const std::int64_t few = vectors.layout.vectors / kVectorsOfStaging;
  return std::min(wanted, std::max(few, kBusyBlocks * multiprocessors));
}

}  // namespace loci::cuda
