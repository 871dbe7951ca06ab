#include <loci/creation.hpp>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class CreationApiTest : public EagerTest {};

TEST_F(CreationApiTest, MakesTensorsAtTheirPlace) {
  EXPECT_THAT(floats(full({2}, 3)), ElementsAre(3, 3));
  EXPECT_EQ(fill_constant({1}, 1.0, "sim:1").place(), Place("sim:1"));
  EXPECT_THAT(ones({2}, kInt32, "sim:0").to_vector<std::int32_t>(), Each(1));
  const DeviceGuard guard("sim:0");
  EXPECT_EQ(zeros({1}).place(), Place("sim:0"));
}

TEST_F(CreationApiTest, Counts) {
  EXPECT_THAT(arange(2, 5).to_vector<std::int64_t>(), ElementsAre(2, 3, 4));
  EXPECT_THAT(floats(arange(0, 2, kFloat32)), ElementsAre(0, 1));
  EXPECT_THAT([] { arange(2, 1); }, ThrowsMessage<Error>(HasSubstr("[arange]")));
}

TEST_F(CreationApiTest, ACloneHasItsOwnStorage) {
  const Tensor x = vector({1});
  const Tensor copy = clone(x);
  x.zero_();
  EXPECT_THAT(floats(copy), ElementsAre(1));
}

TEST_F(CreationApiTest, RandomNumbersLieInTheirRange) {
  for (const float value : floats(rand({100}, 2, 3))) {
    EXPECT_GE(value, 2);
    EXPECT_LT(value, 3);
  }
  EXPECT_EQ(randn({3}, 1, 0).to_vector<float>()[2], 1);
}

TEST_F(CreationApiTest, RandomNumbersGoOnFromASavedState) {
  seed(5);
  rand({3});
  const Tensor state = random_state();
  const std::vector<float> here = floats(rand({4}));
  const std::vector<float> there = floats(rand({4}, 0.0, 1.0, kFloat32, "sim:0"));
  seed(9);
  rand({3}, 0.0, 1.0, kFloat32, "sim:0");
  set_random_state(state);
  EXPECT_EQ(floats(rand({4})), here);
  EXPECT_EQ(floats(rand({4}, 0.0, 1.0, kFloat32, "sim:0")), there);
  EXPECT_EQ(state.to_vector<std::uint64_t>(), (std::vector<std::uint64_t>{5, 1}));
}

TEST_F(CreationApiTest, TheRandomStateIsNoPartOfWhatIsTracedOrCaptured) {
  const std::vector<std::pair<std::string, std::function<void()>>> calls = {
      {"seed()", [] { seed(1); }},
      {"random_state()", [] { (void)random_state(); }},
      {"set_random_state()", [] {
         set_random_state(Tensor::from<std::uint64_t>({1, 0}, {2}));
       }}};
  for (const auto& [name, call] : calls) {
    const auto traced = [&, &run = call] {
      (void)trace(
          [&](const std::vector<Tensor>& in) {
            run();
            return in;
          },
          {vector({1})});
    };
    EXPECT_THAT(traced, ThrowsMessage<Error>(HasSubstr("[random] " + name + " within a trace")));
    Graph graph("cpu");
    graph.capture_begin();
    EXPECT_THAT(call, ThrowsMessage<Error>(HasSubstr("[random] " + name + " within a capture")));
    graph.abort();
  }
}

TEST_F(CreationApiTest, RefusesWhatIsNoRandomState) {
  EXPECT_THAT(
      [] { set_random_state(Tensor::scalar(1.0F)); },
      ThrowsMessage<Error>(HasSubstr("[random] the state is float32 []; give the uint64 [2]")));
  EXPECT_THAT([] { set_random_state({}); },
              ThrowsMessage<Error>(HasSubstr("[random] the state is undefined")));
}

}  // namespace
}  // namespace loci::eager
