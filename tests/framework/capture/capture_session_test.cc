#include "framework/capture/capture_session.h"

#include <thread>

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class CaptureSessionTest : public GraphTest {};
LOCI_GRAPH_PLACES(CaptureSessionTest);

TEST_P(CaptureSessionTest, A5_AfterAFailureTheStreamIsUsable) {
  const Stream stream(place());
  const StreamGuard guard(stream);
  const Tensor x = vector({1, 2});
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = x + x;
  EXPECT_THROW((void)floats(y), Error);
  EXPECT_THROW(stream.synchronize(), Error);
  EXPECT_THAT([&] { graph.capture_end(); },
              ThrowsMessage<Error>(HasSubstr("on the host while graph")));
  EXPECT_FALSE(graph.is_captured());
  EXPECT_THAT(floats(x + x), ElementsAre(2, 4));
  graph.capture_begin();
  const Tensor z = x * x;
  graph.capture_end();
  graph.replay();
  EXPECT_THAT(floats(z), ElementsAre(1, 4));
  EXPECT_THAT([&] { (void)floats(y); }, ThrowsMessage<Error>(HasSubstr("given up")));
}

TEST_P(CaptureSessionTest, A6_AnOpThatThrowsIsNotPartOfIt) {
  const Tensor x = vector({1, 2});
  const Tensor other = vector({1, 2, 3});
  Graph graph(place());
  graph.capture_begin();
  EXPECT_THROW((void)(x + other), Error);
  const Tensor y = x + x;
  graph.capture_end();
  EXPECT_EQ(graph.stats().launches, 1U);
  graph.replay();
  EXPECT_THAT(floats(y), ElementsAre(2, 4));
}

TEST_P(CaptureSessionTest, B1_GlobalForbidsWaitsOfAllThreads) {
  const Tensor x = vector({1});
  Graph graph(place(), CaptureMode::kGlobal);
  graph.capture_begin();
  const Tensor y = x + x;
  std::thread([&] {
    EXPECT_THAT([&] { synchronize(place()); },
                ThrowsMessage<Error>(AllOf(HasSubstr("mode global"), HasSubstr("thread_local"))));
  }).join();
  EXPECT_THAT([&] { graph.capture_end(); }, ThrowsMessage<Error>(HasSubstr("mode global")));
}

TEST_P(CaptureSessionTest, B2_ThreadLocalForbidsThoseOfItsOwn) {
  const Tensor x = vector({1});
  Graph graph(place());
  graph.capture_begin();
  std::thread([&] {
    EXPECT_NO_THROW(synchronize(place()));
    EXPECT_THAT(floats(x + x), ElementsAre(2)) << "its ops are not captured";
  }).join();
  EXPECT_THAT([&] { synchronize(place()); },
              ThrowsMessage<Error>(AllOf(HasSubstr("mode thread_local"), HasSubstr("relaxed"))));
  EXPECT_THAT([&] { graph.capture_end(); }, ThrowsMessage<Error>(HasSubstr("synchronize()")));
}

TEST_P(CaptureSessionTest, B3_RelaxedForbidsNone) {
  const Tensor x = vector({1});
  Graph graph(place(), CaptureMode::kRelaxed);
  graph.capture_begin();
  const Tensor y = x + x;
  EXPECT_NO_THROW(synchronize(place()));
  Event inside;
  inside.record(Stream::current(place()));
  graph.capture_end();
  EXPECT_THAT([&] { (void)inside.done(); }, ThrowsMessage<Error>(HasSubstr("was captured")));
}

TEST_P(CaptureSessionTest, C1_AStreamIsForkedAndJoinedByEvents) {
  const Tensor x = vector({1, 2});
  const Stream side(place());
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = x + x;
  Event forked;
  forked.record(Stream::current(place()));
  forked.wait(side);
  Tensor z;
  {
    const StreamGuard guard(side);
    z = y * y;
  }
  Event joined;
  joined.record(side);
  joined.wait(Stream::current(place()));
  const Tensor sum = y + z;
  graph.capture_end();
  EXPECT_EQ(graph.stats().launches, 3U);
  graph.replay();
  EXPECT_THAT(floats(sum), ElementsAre(6, 20));
  {
    const StreamGuard guard(side);
    EXPECT_THAT(floats(x + x), ElementsAre(2, 4)) << "the stream is a plain one again";
  }
}

TEST_P(CaptureSessionTest, C2_AForkThatIsNotJoinedIsRefused) {
  const Tensor x = vector({1, 2});
  const Stream side(place());
  Graph graph(place());
  graph.capture_begin();
  Event forked;
  forked.record(Stream::current(place()));
  forked.wait(side);
  {
    const StreamGuard guard(side);
    (void)relu(x);
  }
  std::string message;
  try {
    graph.capture_end();
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_THAT(message, AllOf(HasSubstr("not joined"), HasSubstr("relu")));
}

TEST_P(CaptureSessionTest, C3_AnEventFromOutsideIsRefused) {
  Event outside;
  outside.record(Stream::default_of(place()));
  Graph graph(place());
  graph.capture_begin();
  EXPECT_THAT([&] { outside.wait(Stream::current(place())); },
              ThrowsMessage<Error>(HasSubstr("recorded outside of the capture")));
  EXPECT_THROW(graph.capture_end(), Error);
}

TEST_P(CaptureSessionTest, C4_AnEdgeBetweenCapturesIsRefused) {
  const Stream one(place());
  const Stream two(place());
  Graph first(place());
  Graph second(place());
  Event event;
  {
    const StreamGuard guard(one);
    first.capture_begin();
    event.record(one);
  }
  const StreamGuard guard(two);
  second.capture_begin();
  EXPECT_THAT([&] { event.wait(two); }, ThrowsMessage<Error>(HasSubstr("another graph's capture")));
  EXPECT_THROW(second.capture_end(), Error);
  first.abort();
}

TEST_P(CaptureSessionTest, C5_TheHostWaitsForNoEventOfACapture) {
  for (const CaptureMode mode :
       {CaptureMode::kGlobal, CaptureMode::kThreadLocal, CaptureMode::kRelaxed}) {
    Graph graph(place(), mode);
    graph.capture_begin();
    Event event;
    event.record(Stream::current(place()));
    EXPECT_THAT([&] { event.synchronize(); },
                ThrowsMessage<Error>(HasSubstr("Event::synchronize()")));
    EXPECT_THROW((void)event.done(), Error);
    EXPECT_THAT([&] { graph.capture_end(); },
                ThrowsMessage<Error>(HasSubstr("Event::synchronize()")));
  }
}

TEST_P(CaptureSessionTest, C7_ReadingWhatIsCapturedIsRefused) {
  const Tensor x = vector({1, 2});
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = (x + x).set_name("y");
  EXPECT_THAT([&] { (void)floats(y); }, ThrowsMessage<Error>(HasSubstr("being captured")));
  EXPECT_THAT([&] { (void)y.item<float>(); }, ThrowsMessage<Error>(HasSubstr("being captured")));
  graph.abort();
}

TEST_P(CaptureSessionTest, C7_ControlFlowOnACapturedPredicateIsRefused) {
  const Tensor x = vector({1});
  Graph graph(place());
  graph.capture_begin();
  const Tensor positive = x > vector({0}).detach();
  EXPECT_THAT(
      [&] {
        (void)cond(
            positive, [&] { return x + x; }, [&] { return x * x; });
      },
      ThrowsMessage<Error>(HasSubstr("being captured")));
  graph.abort();
}

// A replay would go on with the branch, or the extents, of the capture.
TEST_P(CaptureSessionTest, ValuesOfOthersThatDecideAreRefused) {
  const Tensor x = vector({1, 2, 3, 4});
  const Tensor flag = Tensor::from<bool>({true}, {1});
  Graph graph(place());
  graph.capture_begin();
  EXPECT_THAT(
      [&] {
        (void)cond(
            flag, [&] { return x + x; }, [&] { return x * x; });
      },
      ThrowsMessage<Error>(HasSubstr("on the host")));
  EXPECT_THROW(graph.capture_end(), Error);
}

TEST_P(CaptureSessionTest, OtherThreadsMayNotAddToIt) {
  const Tensor x = vector({1});
  const Stream stream(place());
  const StreamGuard guard(stream);
  Graph graph(place());
  graph.capture_begin();
  std::thread([&] {
    const StreamGuard inner(stream);
    EXPECT_THAT([&] { (void)(x + x); }, ThrowsMessage<Error>(HasSubstr("another thread")));
  }).join();
  graph.abort();
}

}  // namespace
}  // namespace loci::capture
