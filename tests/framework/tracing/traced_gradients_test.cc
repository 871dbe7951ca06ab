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
  EXPECT_THAT(floats(w.grad()), ElementsAre(9, 9));  // as before the trace
  EXPECT_THAT(floats(step({vector({1, 10})})[0]), ElementsAre(4, 60));
  EXPECT_THAT(floats(w.grad()), ElementsAre(4, 60));
}

// Four times, which is once for each: without a gradient at first, and then with one.
TEST_F(TracedGradientsTest, GradientsAddUpOverCalls) {
  const Tensor w = variable({3});
  const CompiledFunction step = compile(
      [&](const Tensors& in) -> Tensors {
        const Tensor loss = reduce_sum(w * in[0]);
        loss.backward();
        return {loss.detach()};
      },
      {vector({1})});
  EXPECT_FALSE(w.grad().defined());
  const Tensor first = step({vector({1})})[0];
  const Tensor kept = w.grad();
  for (int i = 0; i < 3; ++i) step({vector({1})});
  EXPECT_THAT(floats(w.grad()), ElementsAre(4));
  EXPECT_THAT(floats(kept), ElementsAre(1)) << "a gradient that others have stays";
  EXPECT_EQ(step.signatures(), 2U);
  w.set_grad({});
  step({vector({5})});
  EXPECT_THAT(floats(w.grad()), ElementsAre(5));
  EXPECT_EQ(step.signatures(), 2U);
}

TEST_F(TracedGradientsTest, RowsAddUpOverCalls) {
  const Tensor table = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const auto fn = [&](const Tensors& in) -> Tensors {
    const Tensor loss = reduce_sum(embedding(table, in[0]));
    loss.backward();
    return {loss.detach()};
  };
  table.set_requires_grad();
  const Tensor ids = Tensor::from<std::int64_t>({2, 0, 2}, {3});
  const CompiledFunction step = compile(fn, {ids});
  for (int i = 0; i < 3; ++i) step({ids});
  EXPECT_THAT(table.grad_rows().rows.to_vector<std::int64_t>(),
              ElementsAre(2, 0, 2, 2, 0, 2, 2, 0, 2));
  EXPECT_THAT(floats(table.grad()), ElementsAre(3, 3, 0, 0, 6, 6));
}

TEST_F(TracedGradientsTest, AProgramIsSavedWithoutGradientsOfBefore) {
  const Tensor w = variable({3});
  w.set_name("w");
  w.set_grad(vector({1}));
  const CompiledFunction step = compile(
      [&](const Tensors& in) -> Tensors {
        reduce_sum(w * in[0]).backward();
        return {w.grad()};
      },
      {vector({1})});
  EXPECT_THAT([&] { step.save("unused"); },
              ::testing::ThrowsMessage<Error>(
                  ::testing::HasSubstr("adds to the gradient that 'w' had before, or reads it")));
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
