#include "kernels/axis_function.h"

#include <algorithm>
#include <loci/plugin/axis_walk.hpp>

#include "kernels/reduction.h"
#include "kernels/team_size.h"

namespace loci::cuda {
namespace {

// Columns side by side that still make whole sectors of memory.
constexpr std::int64_t kFewColumns = 8;

int held_by(std::int64_t threads, std::int64_t count) {
  if (count <= threads * kFewHeld) return kFewHeld;
  return count <= threads * kManyHeld ? kManyHeld : kNoneHeld;
}

// Some lanes of a warp, if their registers hold a row.
AxisVectors rows_of(const VectorLayout& layout, std::int64_t run, loci_dtype dtype) {
  AxisVectors vectors{true, kNoneHeld, layout};
  const std::int64_t width =
      layout.count <= kTeamWarp * kManyHeld ? lanes_of_row(layout.count, run, dtype) : kTeamBlock;
  vectors.layout.width = static_cast<std::int32_t>(width);
  vectors.held = held_by(width, layout.count);
  return vectors;
}

// Fewer columns, and more threads for each, as long as registers do not hold one.
AxisVectors columns_of(const sdk::AxisSplit& split) {
  const std::int64_t side_by_side = power_from(std::min(split.inner, kTeamBlock));
  const std::int64_t threads =
      power_from(std::clamp(split.count / kFewHeld, std::int64_t{1}, kTeamBlock / kFewColumns));
  const std::int64_t width = std::min(side_by_side, kTeamBlock / threads);
  AxisVectors vectors{false, held_by(kTeamBlock / width, split.count), {}};
  vectors.layout.vectors = split.outer * split.inner;
  vectors.layout.count = split.count;
  vectors.layout.inner = split.inner;
  vectors.layout.width = static_cast<std::int32_t>(width);
  sdk::AxisList places;
  places.push_back(split.count, {split.inner});
  vectors.layout.places = strided_axes(places);
  return vectors;
}

}  // namespace

AxisVectors axis_vectors(const sdk::AxisSplit& split, loci_dtype dtype) {
  if (split.inner != 1) return columns_of(split);
  return run_vectors({split.outer, 1, split.count, split.count}, dtype);
}

AxisVectors run_vectors(const RunRows& rows, loci_dtype dtype) {
  VectorLayout layout{};
  layout.vectors = rows.rows;
  layout.count = rows.outer * rows.run;
  layout.row_step = rows.run;
  sdk::AxisList places;
  if (rows.outer != 1) places.push_back(rows.outer, {rows.step});
  places.push_back(rows.run, {1});
  layout.places = strided_axes(places);
  return rows_of(layout, rows.run, dtype);
}

AxisFunction::AxisFunction(const sdk::Prepare& prepare, const KernelImage& image,
                           const std::string& name, const AxisVectors& vectors)
    : layout_(vectors.layout),
      threads_(vectors.are_rows ? layout_.vectors * layout_.width
                                : (layout_.inner == 0 ? 0 : layout_.vectors / layout_.inner) *
                                      quotient_up(layout_.inner, layout_.width) * kTeamBlock),
      function_(prepare, image,
                name + (vectors.are_rows ? "_rows_" : "_columns_") + std::to_string(vectors.held)) {
}

}  // namespace loci::cuda
