// Random functions, compiled by nvcc and interpreted, against the same ones compiled for the host.
#include <gtest/gtest.h>

#include <random>

#include "tests/tools/cuda_double/ptx/rig.h"

#ifdef LOCI_KERNELS
#include "random_kernels.h"
#endif

namespace loci::cuda_double {
namespace {

TEST(RandomKernels, agree_with_the_host) {
#ifdef LOCI_KERNELS
  Rig rig;
  rig.load_kernels("random");
  constexpr std::uint32_t kThreads = 96;
  for (int which = 0; which < kRandomKernels; ++which) {
    std::mt19937 engine(static_cast<unsigned>(which));
    std::vector<std::uint32_t> inputs(kInputs);
    for (std::uint32_t& input : inputs) {
      // Integers of all sizes, and floats that are mostly finite.
      input = engine() % 2 == 0 ? engine() >> engine() % 32
                                : (engine() & 0x80ffffffU) | (engine() % 32 + 112) << 23;
    }
    const auto in = rig.array(inputs);
    const auto out = rig.array<std::uint32_t>(kThreads * kOutputs);
    rig.launch("random_kernel", {3}, {32}, which, in, out);
    std::vector<std::uint32_t> expected(kThreads * kOutputs);
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      run_random(which, inputs.data(), expected.data(), thread);
    }
    EXPECT_EQ(out.get(), expected) << "random_" << which;
  }
#else
  GTEST_SKIP() << missing_kernels();
#endif
}

}  // namespace
}  // namespace loci::cuda_double
