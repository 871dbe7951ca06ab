#include "framework/eager/generator.h"

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

TEST_F(GeneratorTest, AStateWhoseCopyHasFailedIsCopiedAgain) {
  seed(101);  // so that the device has no state of it yet
  test::sim_faults("sim:2").task = 1;
  const Tensor failed = rand({4}, 0, 1, kFloat32, "sim:2");
  EXPECT_THROW((void)floats(failed), Error);
  EXPECT_NO_THROW((void)floats(rand({4}, 0, 1, kFloat32, "sim:2")));
}

}  // namespace
}  // namespace loci::eager
