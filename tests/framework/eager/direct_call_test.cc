#include "framework/eager/direct_call.h"

#include "framework/eager/call.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DirectCallTest : public EagerTest {
 protected:
  void SetUp() override { synchronize(); }  // what earlier tests left in the queue

  static std::shared_ptr<const CallPlan> plan_for(OpCall<Tensor>& call) {
    return plan_of(call).plan;
  }
  static std::shared_ptr<const CallPlan> relu_plan(const Tensor& x) {
    return plan_for(OpCall<Tensor>("relu").input("x", x));
  }
  static bool run(const Tensor& x, TensorList* results) {
    const auto plan = relu_plan(x);
    const TensorRef values[] = {x};
    return run_directly(plan, values, *plan->queue, nullptr, results);
  }
};

TEST_F(DirectCallTest, SmallCallsWithNewOutputsOnTheHostMayBeDirect) {
  const Tensor small = zeros({8});
  EXPECT_TRUE(relu_plan(small)->is_direct);
  EXPECT_FALSE(relu_plan(zeros({1 << 20}))->is_direct);
  EXPECT_FALSE(relu_plan(small.to("sim:0"))->is_direct);
  EXPECT_FALSE(plan_for(OpCall<Tensor>("nonzero").input("x", small))->is_direct)
      << "its extent is known later";
  EXPECT_FALSE(plan_for(OpCall<Tensor>("sgd")
                            .input("param", small)
                            .input("grad", small)
                            .input("learning_rate", zeros({1})))
                   ->is_direct)
      << "it changes an input";
}

// The thread waits anyway.
TEST_F(DirectCallTest, LargeOnesAreInSerialMode) {
  const Tensor large = ones({1 << 20});
  synchronize();
  Queue& queue = *relu_plan(large)->queue;
  const std::uint64_t before = queue.mark();
  {
    const SerialMode serial;
    EXPECT_EQ(floats(relu(large)).back(), 1);
    EXPECT_EQ(queue.mark(), before) << "none was enqueued";
  }
  (void)relu(large);
  EXPECT_GT(queue.mark(), before);
}

TEST_F(DirectCallTest, ItsResultIsThereWhenItReturns) {
  TensorList results;
  ASSERT_TRUE(run(vector({-1, 2}), &results));
  EXPECT_TRUE(results[0].impl()->storage()->uses.is_idle());
  EXPECT_THAT(floats(results[0]), ElementsAre(0, 2));
}

TEST_F(DirectCallTest, LeavesWhatHasToWaitAlone) {
  HeldQueue queue;
  const Tensor x = vector({-1, 2});
  tensor::Tickets before;
  x.impl()->storage()->uses.enter({&queue, 1}, /*writes=*/true, &before);
  TensorList results;
  EXPECT_FALSE(run(x, &results));
  EXPECT_TRUE(results.empty());
  queue.ended = true;
  EXPECT_TRUE(run(x, &results));
}

TEST_F(DirectCallTest, AReaderDoesNotHoldAnotherUp) {
  HeldQueue queue;
  const Tensor x = vector({-1, 2});
  tensor::Tickets before;
  x.impl()->storage()->uses.enter({&queue, 1}, /*writes=*/false, &before);
  TensorList results;
  EXPECT_TRUE(run(x, &results));
  (void)x.raw_data();  // forgets the queue, which ends before the tensor
}

TEST_F(DirectCallTest, LeavesAFailedInputAlone) {
  const Tensor x = vector({1});
  x.impl()->storage()->uses.fail(
      std::make_shared<tensor::Failure>(Error(ErrorCode::kFailed, "broken")));
  TensorList results;
  EXPECT_FALSE(run(x, &results));
}

TEST_F(DirectCallTest, ComesAfterAnEventThatItsStreamAwaits) {
  const Stream other("cpu");
  Tensor slow = zeros({1 << 18});
  {
    const StreamGuard guard(other);
    for (int i = 0; i < 20; ++i) slow = relu(slow);
  }
  Event passed;
  passed.record(other);
  passed.wait(Stream::current("cpu"));
  const Tensor x = vector({-1, 2});
  EXPECT_THAT(floats(relu(x)), ElementsAre(0, 2));
  EXPECT_TRUE(slow.impl()->storage()->uses.has_ended(/*writers_only=*/false));
  EXPECT_TRUE(relu_plan(x)->queue->is_free()) << "nothing is awaited any more";
}

TEST_F(DirectCallTest, AKernelsFailureIsLeftInItsResult) {
  const Tensor input = full({1, 2}, 0.5);
  input.set_name("probabilities");
  const Tensor loss = cross_entropy(input, Tensor::from<std::int64_t>({7}, {1, 1}));
  try {
    (void)loss.raw_data();
    FAIL() << "a label outside of the classes";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("probabilities float32 [1, 2]"));
    EXPECT_THAT(error.what(), HasSubstr("at cpu, enqueued at"));
  }
}

}  // namespace
}  // namespace loci::eager
