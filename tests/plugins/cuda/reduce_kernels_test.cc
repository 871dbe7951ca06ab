// Reductions and transposes in the interpreter of PTX: how many instructions an element takes, and
// what is moved. Layouts are those of tensors that fill a large device, of which a little is there.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "plugins/cuda/kernels/launch/thread_layouts.h"
#include "plugins/cuda/kernels/move/strided_axes.h"
#include "tests/plugins/cuda/image_rig.h"

namespace loci::cuda {
namespace {

using cuda_double::Counters;

constexpr std::int64_t kRows = 65536;
constexpr std::int64_t kColumns = 2048;

double each(const Counters& counters, std::size_t elements) {
  const double instructions =
      static_cast<double>(counters.lane_instructions) / static_cast<double>(elements);
  std::printf("an element takes %.1f instructions\n", instructions);
  return instructions;
}

// `bytes` is what has to be moved; whole sectors are.
void expect_moved_once(const Counters& counters, std::size_t bytes) {
  const auto moved = counters.global_bytes_read + counters.global_bytes_written;
  EXPECT_LE(moved, bytes * 102 / 100);
  EXPECT_LE(counters.global_sectors * 32, moved * 102 / 100);
}

class ReduceKernelsTest : public ImageTest {
 protected:
  static ReduceLayout layout_of(const std::vector<bool>& reduced, loci_dtype dtype) {
    const std::int64_t dims[] = {kRows, kColumns};
    return reduce_layout(sdk::plan_reduce({dims, 2}, reduced), dtype);
  }

  // Sums ones, into parts or results. The bits of a one are those of T.
  template <class T, class State>
  Counters sum_ones(const std::string& name, T one, const ReduceLayout& layout, bool are_rows,
                    const cuda_double::DeviceArray<State>& sums) {
    load("reduce");
    const auto x =
        rig.array<T>(std::vector<T>(static_cast<std::size_t>(layout.outputs * layout.count), one));
    const double divisor = 1;
    const auto counters =
        launch(name, threads_of(layout, are_rows), x, sums, divisor, sums, layout);
    expect_moved_once(counters, x.bytes() + sums.bytes());
    return counters;
  }

  // A warp for each of many rows, of which 64 are there.
  template <class T>
  double of_rows(const std::string& name, T one, T sum, loci_dtype dtype) {
    ReduceLayout layout = layout_of({false, true}, dtype);
    EXPECT_EQ(layout.splits.value, 1);
    layout.outputs = 64;
    const auto sums = rig.array<T>(64);
    const auto counters = sum_ones(name, one, layout, true, sums);
    EXPECT_EQ(sums.get(), std::vector<T>(64, sum));
    EXPECT_EQ(counters.shared_requests, 0U);
    return each(counters, 64 * kColumns);
  }

  // Two parts of some of the columns.
  template <class T, class State>
  double of_columns(const std::string& name, T one, loci_dtype dtype) {
    ReduceLayout layout = layout_of({true, false}, dtype);
    EXPECT_GT(layout.splits.value, 32);
    const std::int64_t beside = std::int64_t{2} * layout.width * layout.lanes;
    layout.reduced.axes[0].step = beside;
    layout.outputs = layout.inner = beside;
    layout.strips = fast_divmod_of(2);
    layout.splits = fast_divmod_of(2);
    layout.count = 2 * layout.chunk;
    const auto elements = static_cast<std::size_t>(layout.outputs * layout.count);
    const auto sums = rig.array<State>(static_cast<std::size_t>(2 * layout.outputs));
    const auto counters = sum_ones(name, one, layout, false, sums);
    EXPECT_EQ(sums.get(), std::vector<State>(static_cast<std::size_t>(2 * layout.outputs),
                                             static_cast<State>(layout.chunk)));
    EXPECT_LE(counters.shared_conflicts, counters.shared_requests);
    EXPECT_EQ(counters.global_bytes_read / counters.lanes_by_opcode.at(vector_load(dtype)), 16U);
    return each(counters, elements);
  }

  // Two parts of all.
  template <class T, class State>
  double of_all(const std::string& name, T one, loci_dtype dtype) {
    ReduceLayout layout = layout_of({true, true}, dtype);
    layout.splits = fast_divmod_of(2);
    layout.count = 2 * layout.chunk;
    const auto sums = rig.array<State>(2);
    const auto counters = sum_ones(name, one, layout, true, sums);
    EXPECT_EQ(sums.get(), std::vector<State>(2, static_cast<State>(layout.chunk)));
    return each(counters, static_cast<std::size_t>(layout.count));
  }

  static std::string vector_load(loci_dtype dtype) {
    return dtype == LOCI_DTYPE_F32 ? "ld.global.v4.f32" : "ld.global.v4.u32";
  }
};

constexpr std::uint16_t kOneBf16 = 0x3F80;
constexpr std::uint16_t k2048Bf16 = 0x4500;
constexpr std::uint16_t kOneF16 = 0x3C00;
constexpr std::uint16_t k2048F16 = 0x6800;

TEST_F(ReduceKernelsTest, SumsRowsInFewInstructions) {
  EXPECT_LE(of_rows<float>("sum_f32_rows", 1.0F, 2048.0F, LOCI_DTYPE_F32), 6.5);
  EXPECT_LE(of_rows<std::uint16_t>("sum_bf16_rows", kOneBf16, k2048Bf16, LOCI_DTYPE_BF16), 6.5);
  EXPECT_LE(of_rows<std::uint16_t>("sum_f16_rows", kOneF16, k2048F16, LOCI_DTYPE_F16), 6.5);
}

TEST_F(ReduceKernelsTest, SumsColumnsInFewInstructions) {
  EXPECT_LE((of_columns<float, double>("sum_f32_columns", 1.0F, LOCI_DTYPE_F32)), 4.2);
  EXPECT_LE((of_columns<std::uint16_t, float>("sum_bf16_columns", kOneBf16, LOCI_DTYPE_BF16)), 4.2);
  EXPECT_LE((of_columns<std::uint16_t, float>("sum_f16_columns", kOneF16, LOCI_DTYPE_F16)), 4.2);
}

TEST_F(ReduceKernelsTest, SumsAllInFewInstructions) {
  EXPECT_LE((of_all<float, double>("sum_f32_rows", 1.0F, LOCI_DTYPE_F32)), 4.2);
  EXPECT_LE((of_all<std::uint16_t, float>("sum_bf16_rows", kOneBf16, LOCI_DTYPE_BF16)), 4.2);
  EXPECT_LE((of_all<std::uint16_t, float>("sum_f16_rows", kOneF16, LOCI_DTYPE_F16)), 4.2);
}

// Eight of a thread at most: the parts of one output, and of many side by side.
TEST_F(ReduceKernelsTest, FoldsPartsInAFewLoadsOfAThread) {
  load("reduce");
  for (const bool are_all : {true, false}) {
    SCOPED_TRACE(are_all);
    const ReduceLayout layout = layout_of({true, are_all}, LOCI_DTYPE_F32);
    const auto parts = static_cast<std::size_t>(layout.outputs * layout.splits.value);
    const std::int64_t threads = threads_of_parts(layout);
    EXPECT_LE(parts, static_cast<std::size_t>(8 * threads));
    const auto partial = rig.array<double>(std::vector<double>(parts, 2.0));
    const auto sums = rig.array<float>(static_cast<std::size_t>(layout.outputs));
    const double divisor = 1;
    const auto counters = launch("sum_f32_parts", threads, sums, sums, divisor, partial, layout);
    expect_moved_once(counters, partial.bytes() + sums.bytes());
    EXPECT_LE(counters.lane_instructions, static_cast<std::uint64_t>(threads * 300));
    EXPECT_EQ(sums.get(), std::vector<float>(static_cast<std::size_t>(layout.outputs),
                                             2 * static_cast<float>(layout.splits.value)));
  }
}

// Few rows have a block each, short columns more threads, and what is small is no second launch.
TEST_F(ReduceKernelsTest, SmallTensorsAreOneLaunchOfManyBlocks) {
  const std::int64_t dims[] = {128, 768};
  for (const bool are_rows : {true, false}) {
    for (const loci_dtype dtype : {LOCI_DTYPE_F32, LOCI_DTYPE_BF16}) {
      const ReduceLayout layout =
          reduce_layout(sdk::plan_reduce({dims, 2}, {!are_rows, are_rows}), dtype);
      EXPECT_EQ(layout.splits.value, 1);
      EXPECT_GE(threads_of(layout, are_rows), 12 * 256);
    }
  }
  const std::int64_t few[] = {100, 4096};
  EXPECT_EQ(reduce_layout(sdk::plan_reduce({few, 2}, {false, true}), LOCI_DTYPE_F32).width, 256);
}

class TransposeKernelsTest : public ImageTest {
 protected:
  static constexpr std::int64_t kSource = 256;  // rows of the source
  static constexpr std::int64_t kTarget = 512;

  template <class Unit>
  double in_squares(const std::string& name) {
    load("strided_copy");
    constexpr std::int64_t kBytes = sizeof(Unit);
    std::vector<Unit> units(kSource * kTarget);
    for (std::size_t i = 0; i < units.size(); ++i) units[i] = static_cast<Unit>(i * 37 + i / 251);
    const auto x = rig.array<Unit>(units);
    const auto y = rig.array<Unit>(units.size());
    const TransposedAxes axes{
        {1, 1, {{1, {}, {}}}}, kTarget, kSource, kTarget * kBytes, kSource * kBytes};
    const std::int64_t side = kTileSquares * std::min<std::int64_t>(kMostSquareSide, 16 / kBytes);
    const TransposedTiles tiles{kSource * kTarget / (side * side), fast_divmod_of(kSource / side),
                                fast_divmod_of(kTarget / side), false};
    const auto counters = launch(name, tiles.count * kBlockThreads, x, y, axes, tiles);
    const std::vector<Unit> turned = y.get();
    for (std::size_t i = 0; i < turned.size(); ++i) {
      const std::size_t from = i % kSource * kTarget + i / kSource;
      EXPECT_EQ(turned[i], units[from]) << i;
      if (turned[i] != units[from]) break;
    }
    expect_moved_once(counters, 2 * x.bytes());
    EXPECT_EQ(counters.shared_requests, 0U);
    return each(counters, units.size());
  }
};

TEST_F(TransposeKernelsTest, TurnsSquaresInFewInstructions) {
  EXPECT_LE(in_squares<std::uint8_t>("transpose_squares_1"), 3);
  EXPECT_LE(in_squares<std::uint16_t>("transpose_squares_2"), 3);
  EXPECT_LE(in_squares<std::uint32_t>("transpose_squares_4"), 8);
  EXPECT_LE(in_squares<std::uint64_t>("transpose_squares_8"), 28);
}

}  // namespace
}  // namespace loci::cuda
