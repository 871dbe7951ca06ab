// The interpreter counts what kernels move: each element once, in whole sectors, without conflicts
// of banks. The images are those that the plugin carries.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "plugins/cuda/kernels/cross_entropy/cross_entropy_arguments.h"
#include "plugins/cuda/kernels/launch/team_size.h"
#include "plugins/cuda/kernels/launch/thread_layouts.h"
#include "plugins/cuda/kernels/normalization/l2_normalize_arguments.h"
#include "plugins/cuda/kernels/normalization/layer_norm_arguments.h"
#include "plugins/cuda/kernels/softmax/softmax_arguments.h"
#include "tests/plugins/cuda/image_rig.h"

namespace loci::cuda {
namespace {

using cuda_double::Counters;

class KernelTrafficTest : public ImageTest {
 protected:
  template <class Arguments>
  Counters run(const std::string& name, const AxisVectors& vectors, const Arguments& arguments) {
    return launch(name + vectors.instance(), threads_of(vectors), arguments, vectors.layout);
  }

  // `bytes` is what has to be moved. A request of a warp to shared memory makes so many passes:
  // four, if each lane asks for 16 bytes.
  static void expect_good(const Counters& counters, std::size_t bytes, unsigned passes = 2) {
    const auto ideal = static_cast<double>(bytes);
    const auto moved =
        static_cast<double>(counters.global_bytes_read + counters.global_bytes_written);
    EXPECT_LE(moved, 1.05 * ideal);
    EXPECT_LE(static_cast<double>(counters.global_sectors), 1.1 * moved / 32);
    EXPECT_LE(counters.shared_conflicts, (passes - 1) * counters.shared_requests);
  }

  template <class Bits>
  void check_softmax(const std::string& name, const sdk::AxisSplit& split, loci_dtype dtype) {
    const auto count = static_cast<std::size_t>(split.outer * split.count * split.inner);
    const auto x = rig.zeros<Bits>(count);
    const auto out = rig.array<Bits>(count);
    const SoftmaxArguments arguments{reinterpret_cast<const void*>(x.address()),
                                     reinterpret_cast<void*>(out.address())};
    const AxisVectors vectors = axis_vectors(split, dtype, {.whole_arrays = 1});
    EXPECT_NE(vectors.held, kNoneHeld);
    expect_good(run(name, vectors, arguments), 2 * x.bytes());
    EXPECT_TRUE(out.is_written());
  }

  static sdk::AxisSplit split_of(std::int64_t outer, std::int64_t count, std::int64_t inner) {
    const std::int64_t dims[] = {outer, count, inner};
    return {{dims, 3}, 1};
  }
};

TEST_F(KernelTrafficTest, SoftmaxReadsRowsOnce) {
  load("softmax");
  for (const std::int64_t width : {16, 64, 200, 512, 1024, 4096}) {
    SCOPED_TRACE(width);
    check_softmax<float>("softmax_f32", split_of(24, width, 1), LOCI_DTYPE_F32);
    check_softmax<double>("softmax_f64", split_of(24, width, 1), LOCI_DTYPE_F64);
    check_softmax<std::uint16_t>("softmax_f16", split_of(24, width, 1), LOCI_DTYPE_F16);
    check_softmax<std::uint16_t>("log_softmax_bf16", split_of(24, width, 1), LOCI_DTYPE_BF16);
  }
}

TEST_F(KernelTrafficTest, SoftmaxReadsColumnsOnce) {
  load("softmax");
  for (const std::int64_t count : {3, 40, 100, 500}) {
    SCOPED_TRACE(count);
    check_softmax<float>("softmax_f32", split_of(3, count, 64), LOCI_DTYPE_F32);
    check_softmax<double>("log_softmax_f64", split_of(3, count, 64), LOCI_DTYPE_F64);
  }
}

// Rows of layer_norm, as the plugin would launch them on a device of few multiprocessors.
class LayerNormTrafficTest : public KernelTrafficTest {
 protected:
  static constexpr std::int64_t kMultiprocessors = 2;

  // Returns rows for kernels that go through so many arrays.
  static AxisVectors rows_of(std::size_t rows, std::size_t width, int arrays) {
    const auto count = static_cast<std::int64_t>(width);
    return run_vectors({static_cast<std::int64_t>(rows), 1, count, count}, LOCI_DTYPE_F32,
                       {kMostHeld, arrays});
  }

  template <class Arguments>
  Counters run_staged(const std::string& name, AxisVectors vectors, int shared,
                      const Arguments& arguments) {
    rig.config.dynamic_shared_bytes = staged_bytes(vectors, shared, LOCI_DTYPE_F32);
    EXPECT_NE(rig.config.dynamic_shared_bytes, 0U);
    vectors.layout.is_staged = true;
    const auto blocks = static_cast<unsigned>(staging_blocks(vectors, kMultiprocessors));
    return rig.launch(name + vectors.instance(), {blocks}, {kTeamBlock}, arguments, vectors.layout);
  }

  static void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }
};

TEST_F(LayerNormTrafficTest, ReadsRowsOnceAndWhatTheyShareRarely) {
  load("layer_norm");
  constexpr std::size_t kRows = 480;
  for (const std::size_t width : {64, 200, 768, 2500}) {
    SCOPED_TRACE(width);
    const auto x = rig.zeros<float>(kRows * width);
    std::vector<float> bias(width);
    std::iota(bias.begin(), bias.end(), 1.0F);
    const auto parameters = rig.array<float>(bias);
    const auto y = rig.array<float>(kRows * width);
    const auto statistics = rig.array<float>(2 * kRows);
    const AxisVectors rows = rows_of(kRows, width, /*arrays=*/1);
    EXPECT_NE(rows.held, kNoneHeld);
    void* mean = at(statistics.address());
    void* inv_std = at(statistics.address() + kRows * sizeof(float));
    const std::size_t bytes = 2 * x.bytes() + statistics.bytes();
    LayerNormArguments arguments{at(x.address()), nullptr, nullptr, at(y.address()), mean,
                                 inv_std,         1e-5};
    expect_good(run("layer_norm_f32", rows, arguments), bytes);
    arguments.scale = at(parameters.address());
    arguments.bias = at(parameters.address());
    expect_good(run_staged("layer_norm_f32", rows, 2, arguments), bytes + 2 * parameters.bytes(),
                4);
    ASSERT_TRUE(y.is_written());
    // Rows of zeros are their bias.
    const std::vector<float> out = y.get();
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], bias[i % width]) << i;
  }
}

TEST_F(LayerNormTrafficTest, GradientReadsRowsOnceAndWhatTheyShareRarely) {
  load("layer_norm");
  constexpr std::size_t kRows = 480;
  for (const std::size_t width : {64, 768, 2500}) {
    SCOPED_TRACE(width);
    const auto x = rig.zeros<float>(kRows * width);
    const auto scale = rig.zeros<float>(width);
    const auto x_grad = rig.array<float>(kRows * width);
    const auto statistics = rig.zeros<float>(kRows);
    void* shared = at(statistics.address());
    const LayerNormGradArguments arguments{
        at(x.address()),     shared, shared, at(x.address()), at(scale.address()),
        at(x_grad.address())};
    const auto counters =
        run_staged("layer_norm_grad_f32", rows_of(kRows, width, /*arrays=*/2), 1, arguments);
    expect_good(counters, 3 * x.bytes() + 2 * statistics.bytes() + scale.bytes(), 4);
    EXPECT_TRUE(x_grad.is_written());
  }
}

// Instructions for each element of rows of 2048, as a device would mostly get them: so few that
// memory takes longer. A warp that adds a division, a branch or 64-bit positions for each element
// is beyond these.
class WholeRowInstructionsTest : public KernelTrafficTest {
 protected:
  static constexpr std::int64_t kRows = 2048;
  static constexpr std::int64_t kWidth = 2048;

  struct Kernel {
    const char* op;
    loci_dtype dtype;
    int arrays;
    double most;
  };

  template <class Arguments>
  void check(const Kernel& kernel, const Arguments& arguments) {
    const bool is_float = kernel.dtype == LOCI_DTYPE_F32;
    const std::string name = std::string(kernel.op) + (is_float ? "_f32" : "_bf16");
    SCOPED_TRACE(name);
    AxisVectors rows =
        run_vectors({kRows, 1, kWidth, kWidth}, kernel.dtype, {kManyHeld, kernel.arrays});
    rows.layout.vectors = kRun;  // the kernel for many rows, on some of them
    const Counters counters = run(name, rows, arguments);
    const double each = static_cast<double>(counters.lane_instructions) / (kRun * kWidth);
    std::printf("%s%s: %.1f instructions an element\n", name.c_str(), rows.instance().c_str(),
                each);
    EXPECT_LE(each, kernel.most);
    EXPECT_EQ(counters.global_bytes_read % 16, 0U);
  }

  // The inputs are zeros, which are so for every dtype.
  void* in() { return address_of(zeros_); }
  void* out() { return address_of(results_); }
  // Each row has statistics.
  void* statistics() { return address_of(statistics_); }

 private:
  static constexpr std::int64_t kRun = 32;
  static void* address_of(const cuda_double::DeviceArray<float>& array) {
    return reinterpret_cast<void*>(array.address());
  }
  cuda_double::DeviceArray<float> zeros_ = rig.zeros<float>(kRun * kWidth);
  cuda_double::DeviceArray<float> results_ = rig.array<float>(kRun * kWidth);
  cuda_double::DeviceArray<float> statistics_ = rig.zeros<float>(2 * kRun);
};

TEST_F(WholeRowInstructionsTest, OfSoftmaxAreFew) {
  load("softmax");
  const SoftmaxArguments arguments{in(), out()};
  check({"softmax", LOCI_DTYPE_F32, 1, 24}, arguments);
  check({"softmax", LOCI_DTYPE_BF16, 1, 12}, arguments);
  check({"log_softmax", LOCI_DTYPE_F32, 1, 24}, arguments);
  check({"log_softmax", LOCI_DTYPE_BF16, 1, 12}, arguments);
}

TEST_F(WholeRowInstructionsTest, OfLayerNormAreFew) {
  load("layer_norm");
  const LayerNormArguments arguments{in(), in(), in(), out(), statistics(), statistics(), 1e-5};
  check({"layer_norm", LOCI_DTYPE_F32, 1, 24}, arguments);
  check({"layer_norm", LOCI_DTYPE_BF16, 1, 20}, arguments);
  const LayerNormGradArguments grad{in(), statistics(), statistics(), in(), in(), out()};
  check({"layer_norm_grad", LOCI_DTYPE_F32, 2, 55}, grad);
  check({"layer_norm_grad", LOCI_DTYPE_BF16, 2, 27}, grad);
}

TEST_F(WholeRowInstructionsTest, OfNormalizationAreFew) {
  load("l2_normalize");
  const NormalizeArguments arguments{in(), out(), statistics(), 1e-5};
  check({"l2_normalize", LOCI_DTYPE_F32, 1, 10}, arguments);
  check({"l2_normalize", LOCI_DTYPE_BF16, 1, 10}, arguments);
  const NormalizeGradArguments grad{in(), statistics(), in(), out()};
  check({"l2_normalize_grad", LOCI_DTYPE_F32, 2, 31}, grad);
  check({"l2_normalize_grad", LOCI_DTYPE_BF16, 2, 16}, grad);
}

TEST_F(WholeRowInstructionsTest, OfCrossEntropyAreFew) {
  load("cross_entropy");
  const CrossEntropyArguments arguments{in(),  in(),   statistics(), out(), statistics(),
                                        kRows, kWidth, -100,         true};
  check({"fused_hard", LOCI_DTYPE_F32, 1, 24}, arguments);
  check({"fused_hard", LOCI_DTYPE_BF16, 1, 12}, arguments);
  check({"fused_hard_grad", LOCI_DTYPE_F32, 1, 12}, arguments);
  check({"fused_hard_grad", LOCI_DTYPE_BF16, 1, 12}, arguments);
}

// Kernels that have a warp for each row give what those of all rows do; which a device takes only
// for more rows than a test has.
class WarpRowsTest : public KernelTrafficTest {
 protected:
  static constexpr std::int64_t kFew = 3;
  static constexpr std::int64_t kMany = 4096;

  template <class Bits>
  static std::vector<Bits> values(std::int64_t count) {
    std::vector<Bits> all(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = bits<Bits>(std::sin(static_cast<float>(i * i % 1009)) * 3);
    }
    return all;
  }
  // float32, or bfloat16: its upper half.
  template <class Bits>
  static Bits bits(float value) {
    return static_cast<Bits>(std::bit_cast<std::uint32_t>(value) >> (32 - 8 * sizeof(Bits)));
  }
  template <class Bits>
  static float float_of(Bits value) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(value) << (32 - 8 * sizeof(Bits)));
  }

  // `call(vectors, results)` launches the kernel for these.
  template <class Bits, class Call>
  void expect_same(std::int64_t count, loci_dtype dtype, int arrays, float most, const Call& call) {
    SCOPED_TRACE(count);
    const RunRows rows{kMany, 1, count, count};
    AxisVectors warps = run_vectors(rows, dtype, {kManyHeld, arrays});
    AxisVectors all = run_vectors(rows, dtype);
    EXPECT_EQ(warps.way, AxisWay::kWarp);
    const auto results_of = [&](AxisVectors& vectors) {
      vectors.layout.vectors = kFew;
      const auto results = rig.array<Bits>(static_cast<std::size_t>(kFew * count));
      call(vectors, reinterpret_cast<void*>(results.address()));
      return results.get();
    };
    const std::vector<Bits> got = results_of(warps);
    const std::vector<Bits> want = results_of(all);
    float mean = 0;
    for (const Bits value : want) {
      mean += std::abs(float_of(value)) / static_cast<float>(want.size());
    }
    for (std::size_t i = 0; i < want.size(); ++i) {
      const float value = float_of(want[i]);
      ASSERT_NEAR(float_of(got[i]), value, most * (std::abs(value) + mean)) << i;
    }
  }

  // Checks rows of these lengths, of float32 and of bfloat16.
  template <class Check>
  static void for_rows(const Check& check) {
    for (const std::int64_t count : {136, 512, 904, 1024}) {
      check(std::uint32_t{}, count, LOCI_DTYPE_F32, "_f32", 2e-6F);
    }
    for (const std::int64_t count : {272, 1024, 1544, 2048}) {
      check(std::uint16_t{}, count, LOCI_DTYPE_BF16, "_bf16", 1.6e-2F);
    }
  }
  template <class T>
  static void* address_of(const cuda_double::DeviceArray<T>& array) {
    return reinterpret_cast<void*>(array.address());
  }
};

TEST_F(WarpRowsTest, OfSoftmaxAreThoseOfOtherKernels) {
  load("softmax");
  for_rows([&](auto bits, std::int64_t count, loci_dtype dtype, const char* name, float most) {
    using Bits = decltype(bits);
    const auto x = rig.array<Bits>(values<Bits>(kFew * count));
    for (const std::string op : {"softmax", "log_softmax"}) {
      expect_same<Bits>(count, dtype, 1, most, [&](const AxisVectors& vectors, void* out) {
        run(op + name, vectors, SoftmaxArguments{address_of(x), out});
      });
    }
  });
}

TEST_F(WarpRowsTest, OfLayerNormAreThoseOfOtherKernels) {
  load("layer_norm");
  const auto statistics = rig.array<float>(std::vector<float>(kFew, 0.5F));
  const auto written = rig.array<float>(kFew);
  void* const given = address_of(statistics);
  void* const to = address_of(written);
  for_rows([&](auto bits, std::int64_t count, loci_dtype dtype, const char* name, float most) {
    using Bits = decltype(bits);
    const auto x = rig.array<Bits>(values<Bits>(kFew * count));
    void* const in = address_of(x);
    expect_same<Bits>(count, dtype, 1, most, [&](const AxisVectors& vectors, void* out) {
      run(std::string("layer_norm") + name, vectors,
          LayerNormArguments{in, in, in, out, to, to, 1e-5});
    });
    expect_same<Bits>(count, dtype, 2, most, [&](const AxisVectors& vectors, void* out) {
      run(std::string("layer_norm_grad") + name, vectors,
          LayerNormGradArguments{in, given, given, in, in, out});
    });
  });
}

// Too many bytes for a block's shared memory, and more multiprocessors than rows keep busy.
TEST(StagedRowsTest, AreLeftWhereTheyAreIfTheyDoNotFit) {
  const AxisVectors rows = run_vectors({4096, 1, 8192, 8192}, LOCI_DTYPE_F32, {kMostHeld, 1});
  EXPECT_EQ(staged_bytes(rows, 2, LOCI_DTYPE_F32), 0U);
  EXPECT_EQ(staged_bytes(rows, 1, LOCI_DTYPE_F32), 8192U * 4);
  EXPECT_EQ(staging_blocks(rows, 10), 4096 / 24);
  EXPECT_EQ(staging_blocks(rows, 132), 264);
  EXPECT_EQ(staging_blocks(rows, 4096), 4096);
}

// How many threads have a row, and the kernel for it.
struct RowsCase {
  std::int64_t rows;
  std::int64_t count;
  loci_dtype dtype;
  RowKernels kernels;
  const char* instance;
  std::int32_t width;
};

TEST(RowKernelsTest, AreChosenByWhatARowTakes) {
  constexpr RowKernels kOne{kManyHeld, 1};
  constexpr RowKernels kTwo{kManyHeld, 2};
  const RowsCase cases[] = {
      {1536, 128, LOCI_DTYPE_F32, kOne, "_lanes_1", 32},
      {1536, 128, LOCI_DTYPE_BF16, kOne, "_lanes_1", 16},
      {65536, 2048, LOCI_DTYPE_F32, kOne, "_warp_16", 32},
      {65536, 2048, LOCI_DTYPE_F32, kTwo, "_block_2", 256},
      {65536, 2048, LOCI_DTYPE_F16, kOne, "_warp_8", 32},
      {65536, 4096, LOCI_DTYPE_F32, kOne, "_block_4", 256},
      // Few rows have a block each.
      {128, 768, LOCI_DTYPE_F32, kOne, "_block_1", 256},
      // Rows that are not whole vectors, too long, or of a dtype or an operation without kernels.
      {65536, 2047, LOCI_DTYPE_F32, kOne, "_rows_8", 256},
      {65536, 32768, LOCI_DTYPE_F32, kOne, "_rows_0", 256},
      {65536, 2048, LOCI_DTYPE_F64, kOne, "_rows_8", 256},
      {65536, 2048, LOCI_DTYPE_F32, {}, "_rows_8", 256},
  };
  for (const RowsCase& one : cases) {
    const AxisVectors rows =
        run_vectors({one.rows, 1, one.count, one.count}, one.dtype, one.kernels);
    EXPECT_EQ(rows.instance(), one.instance) << one.rows << " x " << one.count;
    EXPECT_EQ(rows.layout.width, one.width) << one.rows << " x " << one.count;
  }
}

}  // namespace
}  // namespace loci::cuda
