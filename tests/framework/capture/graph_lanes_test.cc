#include "framework/capture/graph_lanes.h"

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class GraphLanesTest : public CaptureTest {
 protected:
  const Stream side_{"cpu"};
  const Stream third_{"cpu"};
  GraphLanes lanes_{Stream("cpu").lane()};
};

TEST_F(GraphLanesTest, StreamsHaveNumbersAsTheyCame) {
  lanes_.fork(side_.lane());
  EXPECT_EQ(lanes_.number_of(*lanes_.lane(0)), 0U);
  EXPECT_EQ(lanes_.number_of(*side_.lane()), 1U);
  EXPECT_FALSE(lanes_.contains(*third_.lane()));
}

TEST_F(GraphLanesTest, AForkAwaitsItsJoinFromTheWaitOn) {
  EXPECT_THAT(lanes_.unjoined(), IsEmpty());
  lanes_.fork(side_.lane());
  EXPECT_THAT(lanes_.unjoined(),
              ElementsAre("stream 1, whose last work is the wait with which it was forked"));
  lanes_.wait_for(0, 1, lanes_.mark());
  EXPECT_THAT(lanes_.unjoined(), IsEmpty());
}

TEST_F(GraphLanesTest, AJoinIsOfWhatCameBeforeItsEvent) {
  lanes_.fork(side_.lane());
  const std::uint64_t mark = lanes_.mark();
  lanes_.note_work(1, "relu");
  lanes_.wait_for(0, 1, mark);
  EXPECT_THAT(lanes_.unjoined(), ElementsAre("stream 1, whose last work is relu"));
  lanes_.wait_for(0, 1, lanes_.mark());
  EXPECT_THAT(lanes_.unjoined(), IsEmpty());
}

TEST_F(GraphLanesTest, AnyStreamOfTheGraphJoinsAnother) {
  lanes_.fork(side_.lane());
  lanes_.fork(third_.lane());
  lanes_.note_work(2, "tanh");
  lanes_.wait_for(1, 2, lanes_.mark());
  EXPECT_THAT(lanes_.unjoined(),
              ElementsAre("stream 1, whose last work is the wait with which it was forked"));
}

}  // namespace
}  // namespace loci::capture
