#include "framework/eager/generator.h"

#include "framework/eager/draw_scope.h"
#include "tests/framework/eager/eager_fixture.h"
#include "tests/support/sim_faults.h"

namespace loci::eager {
namespace {

class GeneratorTest : public EagerTest {};

TEST_F(GeneratorTest, ASeedStartsAgain) {
  seed(11);
  const std::vector<float> first = floats(rand({4}));
  const std::vector<float> second = floats(rand({4}));
  EXPECT_NE(first, second);
  seed(11);
  EXPECT_EQ(floats(rand({4})), first);
  EXPECT_EQ(floats(rand({4}, 0, 1, kFloat32, "sim:0")), second);
}

TEST_F(GeneratorTest, DrawsWhatAProgramDraws) {
  Program main;
  std::vector<Fetch> fetches;
  {
    const ProgramGuard building(main);
    fetches.emplace_back(uniform_random({5}));
    fetches.emplace_back(gaussian_random({5}));
  }
  Scope scope;
  scope.set("@random_state", Tensor::from<std::uint64_t>({23, 0}, {2}));
  const std::vector<Tensor> drawn = Executor("cpu", {}, scope).run(main, {}, fetches);
  seed(23);
  EXPECT_EQ(floats(rand({5})), floats(drawn[0]));
  EXPECT_EQ(floats(randn({5})), floats(drawn[1]));
}

// Draws as a program does that is given the state and the offset.
std::vector<float> drawn_from(const Tensor& state, std::int64_t offset) {
  OpCall<Tensor> call("uniform_random");
  call.input("state", state).attr("offset", offset).attr("shape", std::vector<std::int64_t>{4});
  return call.result().to_vector<float>();
}

TEST_F(GeneratorTest, OthersMayDrawInOnesPlace) {
  for (const char* place : {"cpu", "sim:0"}) {
    const DeviceGuard guard(place);
    const auto draws = [&](bool by_others) {
      std::vector<std::vector<float>> all;
      const auto two = [&] {
        const Tensor state = by_others ? take_draws(device_at(place), 2, nullptr) : Tensor();
        for (const std::int64_t i : {0, 1}) {
          all.push_back(by_others ? drawn_from(state, i) : floats(rand({4})));
        }
      };
      seed(31);
      all.push_back(floats(rand({4})));
      two();
      {
        DrawScope scope;
        scope.enter(3);
        two();
        two();
      }
      all.push_back(floats(rand({4})));
      return all;
    };
    EXPECT_EQ(draws(true), draws(false)) << place;
  }
}

TEST_F(GeneratorTest, SoTheyMayWithinACapture) {
  for (const char* place : {"cpu", "sim:0"}) {
    const DeviceGuard guard(place);
    Graph graph(place);
    graph.capture_begin();
    const Tensor first = rand({4});
    const Tensor state = take_draws(device_at(place), 1, nullptr);
    OpCall<Tensor> call("uniform_random");
    call.input("state", state).attr("offset", std::int64_t{0});
    const Tensor second = call.attr("shape", std::vector<std::int64_t>{4}).result();
    const Tensor third = rand({4});
    graph.capture_end();
    seed(37);
    std::vector<std::vector<float>> expected;
    for (int i = 0; i < 6; ++i) expected.push_back(floats(rand({4})));
    seed(37);
    std::vector<std::vector<float>> got;
    for (int i = 0; i < 2; ++i) {
      graph.replay();
      for (const Tensor& each : {first, second, third}) got.push_back(floats(each));
    }
    EXPECT_EQ(got, expected) << place;
  }
}

TEST_F(GeneratorTest, AStateWhoseCopyHasFailedIsCopiedAgain) {
  seed(101);  // so that the device has no state of it yet
  test::sim_faults("sim:2").task = 1;
  const Tensor failed = rand({4}, 0, 1, kFloat32, "sim:2");
  EXPECT_THROW((void)floats(failed), Error);
  EXPECT_NO_THROW((void)floats(rand({4}, 0, 1, kFloat32, "sim:2")));
}

}  // namespace
}  // namespace loci::eager
