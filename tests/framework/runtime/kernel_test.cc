#include "framework/runtime/kernel.h"

#include <malloc.h>

#include "framework/core/process_end.h"
#include "framework/ops/op_registry.h"
#include "tests/framework/runtime/runtime_fixture.h"

namespace loci::runtime {
namespace {

class KernelTest : public RuntimeTest {
 protected:
  static ArgumentType typed(DType dtype) { return {dtype, Shape{4}, LOCI_RESIDENCE_DEVICE}; }
  static KernelChoice choose_relu(const Place& place, DType dtype) {
    const OpDesc desc(ops::op_registry().get("relu"), {}, {{typed(dtype)}}, {{typed(dtype)}});
    return choose_kernel(device_at(place), desc);
  }
};

TEST_F(KernelTest, TheFirstKernelThatAcceptsWins) {
  EXPECT_EQ(choose_relu("toy:0", kFloat32).name(), "org.loci.test.toy/toy");
}

TEST_F(KernelTest, ARefusedDtypeIsNamed) {
  const KernelChoice choice = choose_relu("toy:0", kFloat64);
  EXPECT_FALSE(choice.found());
  EXPECT_EQ(choice.refusals, "org.loci.test.toy/toy: no float64");
}

TEST_F(KernelTest, PreparedKernelsCountAsLiveObjects) {
  const OpDesc desc(ops::op_registry().get("relu"), {}, {{typed(kFloat32)}}, {{typed(kFloat32)}});
  device::Device& device = device_at("toy:0");
  const std::int64_t before = device.plugin().live_objects();
  {
    const PreparedKernel kernel(choose_kernel(device, desc), device, desc);
    EXPECT_EQ(device.plugin().live_objects(), before + 1);
  }
  EXPECT_EQ(device.plugin().live_objects(), before);
}

// As executors that come and go do. 32 bytes would stay with the C library for each.
TEST_F(KernelTest, PreparingTheSameAgainLeavesNothingBehind) {
  const OpDesc desc(ops::op_registry().get("relu"), {}, {{typed(kFloat32)}}, {{typed(kFloat32)}});
  device::Device& device = device_at("cpu");
  const KernelChoice choice = choose_kernel(device, desc);
  const auto bytes_after = [&](int times) {
    for (int i = 0; i < times; ++i) {
      const PreparedKernel kernel(choice, device, desc);
      core::precede_destructors();
    }
    return mallinfo2().uordblks;
  };
  constexpr int kTimes = 5000;
  const std::size_t before = bytes_after(100);
  EXPECT_LT(bytes_after(kTimes), before + 8 * kTimes);
}

}  // namespace
}  // namespace loci::runtime
