#include "framework/execution/frame.h"

#include <malloc.h>

#include "framework/executor/executor_impl.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class FrameTest : public executor::ProgramsTest {};

TEST_F(FrameTest, AFailingLaunchNamesOperatorArgumentsAndPlace) {
  const Variable probabilities = data("p", {1, 2}, kFloat32);
  const Variable loss = cross_entropy(probabilities, data("label", {1, 1}, kInt64));
  Executor executor("cpu", {}, scope_);
  const auto running = [&] {
    executor.run(main_,
                 {{"p", Tensor::from<float>({0.5F, 0.5F}, {1, 2})},
                  {"label", Tensor::from<std::int64_t>({7}, {1, 1})}},
                 {loss});
  };
  EXPECT_THAT(running, ThrowsMessage<Error>(AllOf(HasSubstr("cross_entropy_0 at cpu"),
                                                  HasSubstr("label:int64[1, 1]"))));
}

// Frames of shapes that come and go run the same kernels. 32 bytes would stay with the C library
// for each.
TEST_F(FrameTest, RunningTheSameKernelsInAnotherLeavesNothingBehind) {
  const Variable y = relu(data("x", {2}, kFloat32));
  Executor executor("cpu", {}, scope_);
  const Feed feed{{"x", vector({-1, 1})}};
  const auto plan = executor.impl()->plan(main_, feed, {y});
  const auto bytes_after = [&](int times) {
    for (int i = 0; i < times; ++i) {
      plan->drop_idle_frames();
      (void)executor.run(main_, feed, {y});
    }
    return mallinfo2().uordblks;
  };
  constexpr int kTimes = 2000;
  const std::size_t before = bytes_after(100);
  EXPECT_LT(bytes_after(kTimes), before + 8 * kTimes);
}

}  // namespace
}  // namespace loci::execution
