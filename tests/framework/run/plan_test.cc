#include "framework/run/plan.h"

#include "framework/run/frame.h"
#include "tests/framework/executor/runtime_fixture.h"

namespace loci::runtime {
namespace {

class PlanTest : public RuntimeTest {};

TEST_F(PlanTest, AFrameThatWasGivenBackIsUsedAgain) {
  const Variable y = relu(data("x", {2}, kFloat32));
  const auto plan = compile({feed_of("x", {2})}, {y.name()});
  auto first = plan->acquire_frame();
  const Frame* address = first.get();
  plan->release_frame(std::move(first));
  const auto again = plan->acquire_frame();
  EXPECT_EQ(again.get(), address);
  EXPECT_NE(plan->acquire_frame().get(), address);
}

TEST_F(PlanTest, KeepsEveryFrameThatIsGivenBack) {
  const Variable y = relu(data("x", {2}, kFloat32));
  const auto plan = compile({feed_of("x", {2})}, {y.name()});
  auto first = plan->acquire_frame();
  auto second = plan->acquire_frame();
  const std::vector<const Frame*> known{first.get(), second.get()};
  plan->release_frame(std::move(first));
  plan->release_frame(std::move(second));
  const auto a = plan->acquire_frame();
  const auto b = plan->acquire_frame();
  EXPECT_THAT(known, ::testing::UnorderedElementsAre(a.get(), b.get()));
}

}  // namespace
}  // namespace loci::runtime
