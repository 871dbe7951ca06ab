#include "framework/eager/task_ring.h"

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

class TaskRingTest : public EagerTest {
 protected:
  static Task task_of(const Tensor& tensor) {
    Task task;
    task.arguments.push_back(tensor.impl());
    return task;
  }
};

TEST_F(TaskRingTest, GivesEachTicketItsTask) {
  TaskRing ring(2);
  const Tensor first = vector({1});
  const Tensor second = vector({2});
  ring.put(7, task_of(first));
  ring.put(8, task_of(second));
  EXPECT_EQ(ring.take(7).arguments[0], first.impl());
  EXPECT_EQ(ring.take(8).arguments[0], second.impl());
}

TEST_F(TaskRingTest, ASlotIsUsedAgain) {
  TaskRing ring(2);
  const Tensor tensor = vector({1});
  for (std::uint64_t ticket = 0; ticket < 9; ++ticket) {
    ring.put(ticket, task_of(tensor));
    EXPECT_EQ(ring.take(ticket).arguments[0], tensor.impl());
  }
}

TEST_F(TaskRingTest, KeepsNothingThatWasTaken) {
  TaskRing ring(4);
  const Tensor tensor = vector({1});
  const auto references = tensor.impl().use_count();
  ring.put(0, task_of(tensor));
  EXPECT_EQ(tensor.impl().use_count(), references + 1);
  (void)ring.take(0);
  EXPECT_EQ(tensor.impl().use_count(), references);
}

}  // namespace
}  // namespace loci::eager
