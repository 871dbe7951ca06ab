#include "framework/eager/task.h"

#include "framework/eager/call.h"
#include "framework/eager/placing.h"
#include "framework/eager/queues.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::HasSubstr;

class TaskTest : public EagerTest {
 protected:
  static Task relu_of(const Tensor& x, const Tensor& y) {
    OpCall<Tensor> call("relu");
    call.input("x", x);
    Task task;
    task.plan = plan_of(call).plan;
    task.arguments.push_back(x.impl());
    task.arguments.push_back(y.impl());
    return task;
  }
};

TEST_F(TaskTest, LaunchesItsPlan) {
  const Tensor y = zeros({2});
  Task task = relu_of(vector({-1, 2}), y);
  run_task(task, Queues::instance().default_queue(host_device()));
  EXPECT_THAT(floats(y), ::testing::ElementsAre(0, 2));
}

TEST_F(TaskTest, ItsOutputsHaveMemoryWhenItRuns) {
  auto storage = std::make_shared<tensor::Storage>();
  storage->bytes = 2 * sizeof(float);
  const Tensor y(std::make_shared<tensor::TensorImpl>(kFloat32, Shape{2}, storage));
  Task task = relu_of(vector({-1, 2}), y);
  run_task(task, Queues::instance().default_queue(host_device()));
  EXPECT_THAT(floats(y), ::testing::ElementsAre(0, 2));
}

TEST_F(TaskTest, AFailureGoesFromInputsToOutputs) {
  const Tensor x = vector({1});
  const Tensor y = zeros({1});
  Task task = relu_of(x, y);
  EXPECT_FALSE(inherit_failure(task));
  x.impl()->storage()->uses.fail(
      std::make_shared<tensor::Failure>(Error(ErrorCode::kFailed, "broken")));
  EXPECT_TRUE(inherit_failure(task));
  EXPECT_THROW((void)y.raw_data(), Error);
  clear_failures(task);
  EXPECT_NO_THROW((void)y.raw_data());
}

TEST_F(TaskTest, IsReadyWhenNothingIsUnderWay) {
  HeldQueue queue;
  const Tensor x = vector({1});
  const Tensor y = zeros({1});
  Task task = relu_of(x, y);
  EXPECT_TRUE(is_ready(task));
  tensor::Tickets before;
  x.impl()->storage()->uses.enter({&queue, 1}, /*writes=*/true, &before);
  EXPECT_FALSE(is_ready(task));
  queue.ended = true;
  EXPECT_TRUE(is_ready(task));
  (void)x.raw_data();  // forgets the queue, which ends before the tensor
}

TEST_F(TaskTest, SaysWhatItIs) {
  const Tensor x = vector({1});
  x.set_name("signal");
  EXPECT_THAT(describe(relu_of(x, zeros({1}))),
              HasSubstr("[relu] signal float32 [1] at cpu, enqueued at an unknown place"));
}

}  // namespace
}  // namespace loci::eager
