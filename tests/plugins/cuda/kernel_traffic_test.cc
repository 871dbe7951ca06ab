// What kernels move, as the interpreter counts it: each element once, in whole sectors, without
// conflicts of banks. The images are those that the plugin carries.
#include <gtest/gtest.h>

#include <string>

#include "plugins/cuda/kernels/layer_norm_arguments.h"
#include "plugins/cuda/kernels/softmax_arguments.h"
#include "plugins/cuda/kernels/thread_layouts.h"
#include "tests/plugins/cuda/image_rig.h"

namespace loci::cuda {
namespace {

using cuda_double::Counters;

class KernelTrafficTest : public ImageTest {
 protected:
  template <class Arguments>
  Counters run(const std::string& name, const AxisVectors& vectors, const Arguments& arguments) {
    return launch(name + (vectors.are_rows ? "_rows_" : "_columns_") + std::to_string(vectors.held),
                  threads_of(vectors), arguments, vectors.layout);
  }

  // `bytes` is what has to be moved.
  static void expect_good(const Counters& counters, std::size_t bytes) {
    const auto ideal = static_cast<double>(bytes);
    const auto moved =
        static_cast<double>(counters.global_bytes_read + counters.global_bytes_written);
    EXPECT_LE(moved, 1.05 * ideal);
    EXPECT_LE(static_cast<double>(counters.global_sectors), 1.1 * moved / 32);
    EXPECT_LE(counters.shared_conflicts, counters.shared_requests);
  }

  template <class Bits>
  void check_softmax(const std::string& name, const sdk::AxisSplit& split, loci_dtype dtype) {
    const auto count = static_cast<std::size_t>(split.outer * split.count * split.inner);
    const auto x = rig.zeros<Bits>(count);
    const auto out = rig.array<Bits>(count);
    const SoftmaxArguments arguments{reinterpret_cast<const void*>(x.address()),
                                     reinterpret_cast<void*>(out.address())};
    const AxisVectors vectors = axis_vectors(split, dtype);
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

// Scale and bias are read once for each row, out of the caches.
TEST_F(KernelTrafficTest, LayerNormReadsRowsOnce) {
  load("layer_norm");
  constexpr std::size_t kRows = 24;
  for (const std::size_t width : {64, 768, 4096}) {
    SCOPED_TRACE(width);
    const auto x = rig.zeros<float>(kRows * width);
    const auto parameters = rig.zeros<float>(width);
    const auto y = rig.array<float>(kRows * width);
    const auto statistics = rig.array<float>(2 * kRows);
    const auto at = [](std::uint64_t address) { return reinterpret_cast<void*>(address); };
    const AxisVectors rows =
        run_vectors({kRows, 1, static_cast<std::int64_t>(width), static_cast<std::int64_t>(width)},
                    LOCI_DTYPE_F32);
    void* mean = at(statistics.address());
    void* inv_std = at(statistics.address() + kRows * sizeof(float));
    const std::size_t bytes = 2 * x.bytes() + statistics.bytes();
    const LayerNormArguments plain{at(x.address()), nullptr, nullptr, at(y.address()), mean,
                                   inv_std,         1e-5};
    expect_good(run("layer_norm_f32", rows, plain), bytes);
    void* shared = at(parameters.address());
    const LayerNormArguments scaled{at(x.address()), shared, shared, at(y.address()), mean,
                                    inv_std,         1e-5};
    expect_good(run("layer_norm_f32", rows, scaled), bytes + 2 * kRows * parameters.bytes());
  }
}

}  // namespace
}  // namespace loci::cuda
