#include "framework/capture/graph_impl.h"

#include <cstdlib>

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class GraphImplTest : public GraphTest {};
LOCI_GRAPH_PLACES(GraphImplTest);

TEST_P(GraphImplTest, A1_TheDefaultStreamIsRefused) {
  Graph graph(place());
  const StreamGuard guard(Stream::default_of(place()));
  EXPECT_THAT([&] { graph.capture_begin(); }, ThrowsMessage<Error>(HasSubstr("default stream")));
  EXPECT_FALSE(graph.is_capturing());
}

TEST_P(GraphImplTest, A2_ACapturedGraphIsResetFirst) {
  const Tensor x = vector({1});
  Graph graph(place());
  graph.capture_begin();
  EXPECT_THAT([&] { graph.capture_begin(); }, ThrowsMessage<Error>(HasSubstr("is being captured")));
  Tensor y = x * x;
  graph.capture_end();
  EXPECT_THAT([&] { graph.capture_begin(); },
              ThrowsMessage<Error>(HasSubstr("call reset() first")));
  graph.reset();
  graph.capture_begin();
  y = x + x;
  graph.capture_end();
  graph.replay();
  EXPECT_THAT(floats(y), ElementsAre(2));
}

TEST_P(GraphImplTest, A7_AnEmptyCaptureWarns) {
  Graph graph(place());
  testing::internal::CaptureStderr();
  graph.capture_begin();
  graph.capture_end();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("is empty"));
  graph.replay();
  EXPECT_TRUE(graph.is_captured());
}

TEST_P(GraphImplTest, A8_ResetTwiceAndReplayAfterIt) {
  const Tensor x = vector({1});
  Graph graph(place());
  EXPECT_THAT([&] { graph.replay(); }, ThrowsMessage<Error>(HasSubstr("is not captured")));
  EXPECT_THAT([&] { graph.capture_end(); }, ThrowsMessage<Error>(HasSubstr("without a capture")));
  graph.reset();
  graph.capture_begin();
  EXPECT_THAT([&] { graph.reset(); }, ThrowsMessage<Error>(HasSubstr("is being captured")));
  EXPECT_THAT([&] { graph.replay(); }, ThrowsMessage<Error>(HasSubstr("still being captured")));
  const Tensor y = x + x;
  graph.capture_end();
  graph.replay();
  graph.reset();
  graph.reset();
  EXPECT_THAT([&] { graph.replay(); }, ThrowsMessage<Error>(HasSubstr("was reset")));
  EXPECT_THAT(floats(y), ElementsAre(2)) << "its elements stay";
  EXPECT_EQ(graph.stats().replays, 0U);
}

TEST_P(GraphImplTest, C8_ReplaysGoToAnyStreamInTurn) {
  const Tensor x = vector({1});
  Graph graph(place());
  graph.capture_begin();
  x.add_(x);
  graph.capture_end();
  const Stream one(place());
  const Stream two(place());
  for (int i = 0; i < 5; ++i) {
    graph.replay(one);
    graph.replay(two);
  }
  graph.replay(Stream::default_of(place()));
  EXPECT_THAT(floats(x), ElementsAre(2048));
}

TEST_P(GraphImplTest, C8_AStreamOfAnotherPlaceIsRefused) {
  Graph graph(place());
  testing::internal::CaptureStderr();
  graph.capture_begin();
  graph.capture_end();
  testing::internal::GetCapturedStderr();
  const Stream other("sim:1");
  EXPECT_THAT([&] { graph.replay(other); }, ThrowsMessage<Error>(HasSubstr("stream of sim:1")));
}

TEST_P(GraphImplTest, D10_ResetWaitsForReplays) {
  const Tensor x = full({1 << 16}, 1.0, kFloat32).to(place());
  Graph graph(place());
  graph.capture_begin();
  Tensor y = x;
  for (int i = 0; i < 20; ++i) y = y + x;
  graph.capture_end();
  for (int i = 0; i < 10; ++i) graph.replay();
  graph.reset();
  EXPECT_EQ(floats(y).back(), 21);
}

class GraphAtExitTest : public GraphTest {};
LOCI_GRAPH_PLACES(GraphAtExitTest);

// Statics end after the library has stopped its work, or before; both are well.
TEST_P(GraphAtExitTest, A10_IsLeftAlone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static Graph early{place()};
        const Tensor x = full({1 << 12}, 1.0, kFloat32).to(place());
        early.capture_begin();
        static Tensor y = x + x;
        early.capture_end();
        for (int i = 0; i < 50; ++i) early.replay();
        static Graph late{place()};
        late.capture_begin();
        static Tensor z = x * x;
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace loci::capture
