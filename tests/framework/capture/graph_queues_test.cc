#include "framework/capture/graph_queues.h"

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class GraphQueuesTest : public CaptureTest {
 protected:
  const Stream side_{"cpu"};
  const Stream third_{"cpu"};
  GraphQueues queues_{Stream("cpu").queue()};
};

TEST_F(GraphQueuesTest, StreamsHaveNumbersAsTheyCame) {
  queues_.fork(side_.queue());
  EXPECT_EQ(queues_.number_of(*queues_.queue(0)), 0U);
  EXPECT_EQ(queues_.number_of(*side_.queue()), 1U);
  EXPECT_FALSE(queues_.contains(*third_.queue()));
}

TEST_F(GraphQueuesTest, AForkAwaitsItsJoinFromTheWaitOn) {
  EXPECT_THAT(queues_.unjoined(), IsEmpty());
  queues_.fork(side_.queue());
  EXPECT_THAT(queues_.unjoined(),
              ElementsAre("stream 1, whose last work is the wait with which it was forked"));
  queues_.wait_for(0, 1, queues_.mark());
  EXPECT_THAT(queues_.unjoined(), IsEmpty());
}

TEST_F(GraphQueuesTest, AJoinIsOfWhatCameBeforeItsEvent) {
  queues_.fork(side_.queue());
  const std::uint64_t mark = queues_.mark();
  queues_.note_work(1, "relu");
  queues_.wait_for(0, 1, mark);
  EXPECT_THAT(queues_.unjoined(), ElementsAre("stream 1, whose last work is relu"));
  queues_.wait_for(0, 1, queues_.mark());
  EXPECT_THAT(queues_.unjoined(), IsEmpty());
}

TEST_F(GraphQueuesTest, AnyStreamOfTheGraphJoinsAnother) {
  queues_.fork(side_.queue());
  queues_.fork(third_.queue());
  queues_.note_work(2, "tanh");
  queues_.wait_for(1, 2, queues_.mark());
  EXPECT_THAT(queues_.unjoined(),
              ElementsAre("stream 1, whose last work is the wait with which it was forked"));
}

}  // namespace
}  // namespace loci::capture
