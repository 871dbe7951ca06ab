#include "framework/planning/placement.h"

#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::PlaceReason;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class PlacementTest : public executor::ProgramsTest {
 protected:
  Variable tanh_like() { return softmax(data("x", {2}, kFloat32)); }
};

TEST_F(PlacementTest, TheExecutorsPlaceIsTheDefault) {
  const Variable y = relu(data("x", {2}, kFloat32));
  const auto plan = compile({feed_of("x", {2})}, {y.name()}, "toy:1");
  EXPECT_EQ(plan->operators[0].device->place(), Place("toy:1"));
  EXPECT_EQ(plan->operators[0].reason, PlaceReason::kDefault);
}

TEST_F(PlacementTest, FallsBackToTheCpuAndSaysWhy) {
  const Variable y = tanh_like();
  const auto plan = compile({feed_of("x", {2})}, {y.name()}, "toy:0");
  EXPECT_EQ(plan->operators[0].device->place(), Place("cpu"));
  EXPECT_EQ(plan->operators[0].reason, PlaceReason::kNoKernel);
  EXPECT_THAT(plan->operators[0].detail, HasSubstr("no plugin brings a kernel of softmax for toy"));
}

TEST_F(PlacementTest, KeepsTheReasonOfAKernelThatRefused) {
  const Variable y = elementwise_add(data("x", {2, 1}, kFloat32), data("y", {1, 2}, kFloat32));
  const auto plan = compile({feed_of("x", {2, 1}), feed_of("y", {1, 2})}, {y.name()}, "toy:0");
  EXPECT_THAT(plan->operators[0].detail, HasSubstr("org.loci.test.toy/toy: no broadcasting"));
}

TEST_F(PlacementTest, ThePolicyCanForbidFallback) {
  const Variable y = tanh_like();
  CompileOptions strict;
  strict.fallback = FallbackPolicy::kError;
  const auto compiling = [&] { compile({feed_of("x", {2})}, {y.name()}, "toy:0", strict); };
  EXPECT_THAT(compiling, ThrowsMessage<Error>(HasSubstr("the policy forbids the CPU")));
}

TEST_F(PlacementTest, AGuardWithoutAKernelThereIsAnError) {
  Variable y;
  {
    const DeviceGuard guard("toy:0");
    y = tanh_like();
  }
  const auto compiling = [&] { compile({feed_of("x", {2})}, {y.name()}); };
  EXPECT_THAT(compiling, ThrowsMessage<Error>(HasSubstr("remove the device guard")));
}

TEST_F(PlacementTest, AnUnknownGuardPlaceIsNamed) {
  Variable y;
  {
    const DeviceGuard guard("warp:0");
    y = tanh_like();
  }
  const auto compiling = [&] { compile({feed_of("x", {2})}, {y.name()}); };
  EXPECT_THAT(compiling, ThrowsMessage<Error>(HasSubstr("warp:0")));
}

TEST_F(PlacementTest, ABareGuardMeansTheExecutorsDeviceOfThatType) {
  Variable y;
  {
    const DeviceGuard guard("toy");
    y = relu(data("x", {2}, kFloat32));
  }
  EXPECT_EQ(compile({feed_of("x", {2})}, {y.name()}, "toy:1")->operators[0].device->place(),
            Place("toy:1"));
  EXPECT_EQ(compile({feed_of("x", {2})}, {y.name()}, "cpu")->operators[0].device->place(),
            Place("toy:0"));
}

}  // namespace
}  // namespace loci::planning
