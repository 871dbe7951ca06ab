#include "framework/run/frame.h"

#include "tests/framework/executor/runtime_fixture.h"

namespace loci::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class FrameTest : public RuntimeTest {};

TEST_F(FrameTest, BindsTheScopeAgainOnlyWhenItChanged) {
  const Variable w = create_parameter({2}, kFloat32, initializer::constant(1), "w");
  const Variable y = relu(w);
  scope_.set("w", vector({1, 2}));
  const auto plan = compile({}, {y.name()});
  const auto frame = plan->acquire_frame();
  ASSERT_TRUE(frame->bind_scope(*scope_.impl()));
  const ValueId value = plan->persistables[0].value;
  EXPECT_EQ(frame->data(value), scope_.find("w").raw_data());
  scope_.erase("w");
  scope_.set("w", vector({3, 4}));
  ASSERT_TRUE(frame->bind_scope(*scope_.impl()));
  EXPECT_EQ(frame->data(value), scope_.find("w").raw_data());
}

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
