#include "framework/eager/queues.h"

#include "framework/eager/placing.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

class QueuesTest : public EagerTest {};

TEST_F(QueuesTest, ALeasedQueueServesAgain) {
  Queues& queues = Queues::instance();
  const Queue* first = queues.lease(host_device()).get();
  const std::shared_ptr<Queue> again = queues.lease(host_device());
  EXPECT_EQ(again.get(), first);
  EXPECT_NE(queues.lease(host_device()).get(), first);
}

TEST_F(QueuesTest, CopiesHaveQueuesOfTheirOwn) {
  Queues& queues = Queues::instance();
  device::Device& sim = *vector({1}).to("sim:0").impl()->storage()->device;
  EXPECT_NE(&queues.copy_queue(sim, Direction::kToDevice), &queues.default_queue(sim));
  EXPECT_NE(&queues.copy_queue(sim, Direction::kToDevice),
            &queues.copy_queue(sim, Direction::kFromDevice));
  EXPECT_EQ(&queues.default_queue(sim), &queues.default_queue(sim));
}

TEST_F(QueuesTest, OfADeviceThatWasReplacedTheyGiveBackTheirStreams) {
  device::Device& lost = device_at("sim:3");
  Queues& queues = Queues::instance();
  const Tensor kept = vector({1}).to("sim:3");
  (void)queues.copy_queue(lost, Direction::kToDevice);
  (void)queues.lease(lost);
  lose_and_reopen("sim:3");
  EXPECT_THAT([&] { (void)floats(kept + kept); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("sim:3 is lost: it fell off")));
  lose_and_reopen("sim:3");
  EXPECT_FALSE(lost.is_out_of_reach());  // a tensor has memory there
}

TEST_F(QueuesTest, ADeviceThatWasReplacedIsClosedOnceNothingRefersToIt) {
  device::Device& lost = device_at("sim:3");
  (void)Queues::instance().copy_queue(lost, Direction::kToDevice);
  (void)Queues::instance().lease(lost);
  lose_and_reopen("sim:3");
  EXPECT_FALSE(lost.is_out_of_reach());  // somebody may still be within a call of it
  lose_and_reopen("sim:3");
  EXPECT_TRUE(lost.is_out_of_reach());
  EXPECT_THAT([&] { lost.synchronize(); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("sim:3 is lost: it fell off")));
}

}  // namespace
}  // namespace loci::eager
