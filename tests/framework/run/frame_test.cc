#include "framework/run/frame.h"

#include "tests/framework/executor/runtime_fixture.h"

namespace loci::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class FrameTest : public RuntimeTest {};

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

}  // namespace
}  // namespace loci::runtime
