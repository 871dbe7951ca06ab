#include "framework/capture/work_beside.h"

#include <functional>
#include <thread>
#include <utility>

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Each has the place of the graph, and another one.
class WorkBesideTest : public CaptureTest,
                       public ::testing::WithParamInterface<std::pair<const char*, const char*>> {
 protected:
  [[nodiscard]] static Place place() { return Place(GetParam().first); }
  [[nodiscard]] static Place other() { return Place(GetParam().second); }
  [[nodiscard]] static Tensor at(const Place& place, float value) {
    return Tensor::from<float>({value}, {1}).to(place);
  }
  // Returns the error that a capture of the step ends with.
  static std::string refusal(const std::function<void()>& step) {
    Graph graph(place());
    graph.capture_begin();
    try {
      step();
    } catch (const Error&) {
      try {
        graph.capture_end();
      } catch (const Error& error) {
        return error.what();
      }
      return "the step is refused, and the capture goes on";
    }
    graph.capture_end();
    return "";
  }
};
INSTANTIATE_TEST_SUITE_P(Places, WorkBesideTest,
                         ::testing::Values(std::pair("cpu", "sim:0"), std::pair("sim:0", "cpu"),
                                           std::pair("sim:0", "sim:1")),
                         [](const auto& info) { return "places" + std::to_string(info.index); });

TEST_P(WorkBesideTest, OpsAtAnotherPlaceAreRefused) {
  const Tensor there = at(other(), 2);
  EXPECT_THAT(refusal([&] { (void)(there * 3.0); }),
              AllOf(HasSubstr("[scale]"), HasSubstr("replays would not do it again"),
                    HasSubstr("before the capture or after a replay")));
  EXPECT_THAT(refusal([&] { there.add_(there); }), HasSubstr("cannot be captured"));
  EXPECT_THAT(refusal([&] { there.fill_(1); }), HasSubstr("cannot be captured"));
  EXPECT_THAT(refusal([&] { there.copy_(full({1}, 7, kFloat32, other())); }),
              HasSubstr("cannot be captured"))
      << "it was there before, and a step would set it again";
  EXPECT_THAT(refusal([&] { (void)randn({2}, 0, 1, kFloat32, other()); }),
              HasSubstr("cannot be captured"));
}

TEST_P(WorkBesideTest, ConstantsMayBeMadeThere) {
  const Tensor x = at(place(), 1);
  Graph graph(place());
  graph.capture_begin();
  const Tensor constant = full({1}, 2, kFloat32, other()) * 5.0;
  const Tensor y = x + 1.0;
  graph.capture_end();
  graph.replay();
  EXPECT_THAT(floats(y), ElementsAre(2));
  EXPECT_THAT(floats(constant), ElementsAre(10));
}

TEST_P(WorkBesideTest, AReplayOfAnotherPlaceIsRefused) {
  const Tensor x = at(other(), 1);
  Graph inner(other());
  inner.capture_begin();
  const Tensor y = x + 1.0;
  inner.capture_end();
  EXPECT_THAT(refusal([&] { inner.replay(); }), HasSubstr("replays would not do it again"));
  inner.replay();
  EXPECT_THAT(floats(y), ElementsAre(2));
}

TEST_P(WorkBesideTest, ARunAtAnotherPlaceIsRefused) {
  Program main;
  Executor executor(other(), CompileOptions::exact(), Scope());
  EXPECT_THAT(refusal([&] { executor.run(main, {}, {}); }),
              AllOf(HasSubstr("Executor::run() at"), HasSubstr("would not run it again")));
}

TEST_P(WorkBesideTest, AFunctionOfBothPlacesRunsPlainly) {
  CapturedFunction function([](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[0] * 2.0, in[1] * 3.0};
  });
  for (const float value : {1.0F, 2.0F, 3.0F, 4.0F}) {
    const auto results = function({at(place(), value), at(other(), value)});
    EXPECT_THAT(floats(results[0]), ElementsAre(2 * value));
    EXPECT_THAT(floats(results[1]), ElementsAre(3 * value));
  }
  EXPECT_THAT(function.report().forms.front().reason, HasSubstr("cannot be captured"));
}

TEST_P(WorkBesideTest, OtherThreadsAndOtherTimesAreFree) {
  const Tensor there = at(other(), 2);
  Graph graph(place());
  graph.capture_begin();
  Tensor elsewhere;
  std::thread([&] { elsewhere = there * 3.0; }).join();
  graph.capture_end();
  EXPECT_THAT(floats(elsewhere), ElementsAre(6));
  EXPECT_THAT(floats(there * 3.0), ElementsAre(6));
}

TEST_F(CaptureTest, ACopyFromADeviceIsNoWorkOfAGraphOfTheHost) {
  const Tensor u = Tensor::from<float>({1}, {1}).to("sim:0");
  const Tensor x = Tensor::from<float>({1}, {1});
  Graph graph("cpu");
  graph.capture_begin();
  EXPECT_THAT([&] { (void)(u.to("cpu") + x); },
              ThrowsMessage<Error>(AllOf(HasSubstr("[copy]"), HasSubstr("from sim:0 to cpu"),
                                         HasSubstr("replays would not do it again"))));
  EXPECT_THROW(graph.capture_end(), Error);
}

}  // namespace
}  // namespace loci::capture
