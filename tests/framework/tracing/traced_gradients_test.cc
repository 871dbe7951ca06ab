#include <loci/autograd.hpp>
#include <loci/trace.hpp>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::tracing {
namespace {

using ::testing::ElementsAre;
using Tensors = std::vector<Tensor>;

class TracedGradientsTest : public eager::EagerTest {};

TEST_F(TracedGradientsTest, BackwardGivesTheLeavesTheirGradients) {
  const Tensor w = variable({2, 3});
  w.set_grad(vector({9, 9}));
  const CompiledFunction step = compile(
      [&](const Tensors& in) -> Tensors {
        w.set_grad({});
        reduce_sum(in[0] * w * w).backward();
        return {w.grad()};
      },
      {vector({1, 1})});
  EXPECT_THAT(floats(step({vector({1, 10})})[0]), ElementsAre(4, 60));
  EXPECT_THAT(floats(w.grad()), ElementsAre(9, 9));  // as before the trace
}

TEST_F(TracedGradientsTest, GradTakesTargetsAndWeights) {
  const CompiledFunction slope = compile(
      [](const Tensors& in) -> Tensors {
        const Tensor y = in[0] * in[0];
        return grad({y, y * in[0]}, {in[0]}, {in[1], in[1]});
      },
      {vector({1, 2}), vector({1, 1})});
  EXPECT_THAT(floats(slope({vector({1, 2}), vector({1, 10})})[0]), ElementsAre(5, 160));
}

TEST_F(TracedGradientsTest, AStepUpdatesTheTensorsThemselves) {
  const Tensor w = variable({1, 1});
  const Tensor rate = Tensor::from<float>({0.5F}, {1});
  const CompiledFunction step = compile(
      [&](const Tensors& in) -> Tensors {
        const Tensor loss = reduce_sum(w * in[0]);
        w.set_grad({});
        loss.backward();
        no_grad([&] { sgd(w, w.grad(), rate); });
        return {loss};
      },
      {vector({0, 0})});
  EXPECT_THAT(floats(w), ElementsAre(1, 1));
  EXPECT_EQ(step({vector({2, 4})})[0].item<float>(), 6);
  EXPECT_THAT(floats(w), ElementsAre(0, -1));
}

}  // namespace
}  // namespace loci::tracing
