#include "framework/eager/backward.h"

#include <loci/autograd.hpp>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class BackwardTest : public EagerTest {};

TEST_F(BackwardTest, FollowsEveryPath) {
  for (const char* place : {"cpu", "sim:0"}) {
    const Tensor x = variable({1, 2, 3}, place);
    const Tensor y = x * x;
    reduce_sum(y * x + y).backward();  // 3x^2 + 2x
    EXPECT_THAT(floats(x.grad()), ElementsAre(5, 16, 33));
    EXPECT_EQ(x.grad().place(), Place(place));
  }
}

TEST_F(BackwardTest, BroadcastingSumsUp) {
  const Tensor x = variable({2});
  reduce_sum(x * vector({1, 2, 3})).backward();
  EXPECT_THAT(floats(x.grad()), ElementsAre(6));
}

TEST_F(BackwardTest, AddsToWhatIsThere) {
  const Tensor x = variable({3});
  (x * x).backward();
  (x * x).backward();
  EXPECT_THAT(floats(x.grad()), ElementsAre(12));
  x.set_grad({});
  EXPECT_FALSE(x.grad().defined());
}

TEST_F(BackwardTest, PartsThatNobodyUsesCountAsZeros) {
  const Tensor x = variable({1, 2, 3, 4, 5});
  const std::vector<Tensor> parts = split(x, std::vector<std::int64_t>{2, 2, 1}, 0);
  reduce_sum(parts[1] * parts[1]).backward();
  EXPECT_THAT(floats(x.grad()), ElementsAre(0, 0, 6, 8, 0));
}

TEST_F(BackwardTest, GoesThroughCopiesBetweenPlaces) {
  const Tensor x = variable({1, 2});
  const Tensor there = x.to("sim:0") * 3.0;
  reduce_sum(there.to("sim:1") * 2.0).backward();
  EXPECT_THAT(floats(x.grad()), ElementsAre(6, 6));
  EXPECT_EQ(x.grad().place(), Place());
}

TEST_F(BackwardTest, ASecondPassNeedsTheGraph) {
  const Tensor x = variable({3});
  const Tensor y = x * x;
  y.backward({}, /*retain_graph=*/true);
  y.backward();
  EXPECT_THAT([&] { y.backward(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("elementwise_mul"), HasSubstr("retain_graph"))));
}

TEST_F(BackwardTest, GradientsCanBeDifferentiated) {
  const Tensor x = variable({2});
  const Tensor y = x * x * x;
  const Tensor first = grad({y}, {x}, {}, false, /*create_graph=*/true)[0];
  EXPECT_THAT(floats(first), ElementsAre(12));
  const Tensor second = grad({first}, {x}, {}, false, true)[0];
  EXPECT_THAT(floats(second), ElementsAre(12));
  EXPECT_THAT(floats(grad({second}, {x})[0]), ElementsAre(6));
  EXPECT_FALSE(x.grad().defined());
}

TEST_F(BackwardTest, OutputsThatAreSavedCanBeDifferentiatedTwice) {
  const Tensor x = variable({0.5F});
  const Tensor y = sigmoid(x);
  const Tensor first = grad({y}, {x}, {}, false, true)[0];
  const Tensor second = grad({first}, {x})[0];
  const float s = floats(y)[0];
  EXPECT_THAT(floats(second), ElementsAre(FloatNear(s * (1 - s) * (1 - 2 * s), 1e-6F)));
}

TEST_F(BackwardTest, TargetsMayBeInTheMiddle) {
  const Tensor x = variable({2});
  const Tensor y = x * x;
  const Tensor other = variable({5});
  const std::vector<Tensor> found = grad({y * y}, {y, x, other});
  EXPECT_THAT(floats(found[0]), ElementsAre(8));
  EXPECT_THAT(floats(found[1]), ElementsAre(32));
  EXPECT_FALSE(found[2].defined());
}

TEST_F(BackwardTest, AResultMayBeTheOnlyTarget) {
  const Tensor w = variable({3, 4});
  const Tensor y = w * vector({1, 2});
  const Tensor u = y * 2.0;
  const Tensor z = reduce_sum(u * u);
  const auto of = [&](const Tensor& target) {
    const Tensor found = grad({z}, {target}, {}, true)[0];
    return found.defined() ? floats(found) : std::vector<float>();
  };
  EXPECT_THAT(of(u), ElementsAre(12, 32));
  EXPECT_THAT(of(y), ElementsAre(24, 64));
  EXPECT_THAT(of(z), ElementsAre(1));
  const Tensor part = y[1];
  EXPECT_THAT(floats(grad({part * part}, {part}, {}, true)[0]), ElementsAre(16)) << "a view";
  const Tensor slope = grad({z}, {y}, {}, true, true)[0];
  EXPECT_THAT(floats(grad({reduce_sum(slope)}, {w})[0]), ElementsAre(8, 16));
  EXPECT_FALSE(w.grad().defined());
}

// Nodes behind the only target are not gone through.
TEST_F(BackwardTest, NothingIsComputedBehindTheTargets) {
  const Tensor w = variable({3});
  const Tensor y = w * w;
  int calls = 0;
  w.register_hook([&](const Tensor&) {
    ++calls;
    return Tensor();
  });
  EXPECT_THAT(floats(grad({y * y}, {y})[0]), ElementsAre(18));
  EXPECT_EQ(calls, 0);
}

TEST_F(BackwardTest, RowsOfAnEmbeddingStayRows) {
  const Tensor table = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  table.set_requires_grad();
  const Tensor ids = Tensor::from<std::int64_t>({2, 0, 2}, {3});
  reduce_sum(embedding(table, ids)).backward();
  reduce_sum(embedding(table, Tensor::from<std::int64_t>({1}, {1}))).backward();
  EXPECT_THAT(table.grad_rows().rows.to_vector<std::int64_t>(), ElementsAre(2, 0, 2, 1));
  EXPECT_THAT(floats(table.grad()), ElementsAre(1, 1, 1, 1, 2, 2));
  EXPECT_FALSE(table.grad_rows().defined());
}

TEST_F(BackwardTest, AChainOfManyCallsNeedsNoStack) {
#ifdef NDEBUG
  constexpr int kCalls = 100000;
#else
  constexpr int kCalls = 30000;  // whose frames are larger
#endif
  Tensor x = variable({0});
  const Tensor leaf = x;
  for (int i = 0; i < kCalls; ++i) x = x + 1.0;
  x.backward();
  EXPECT_THAT(floats(leaf.grad()), ElementsAre(1));
}

TEST_F(BackwardTest, RefusesWhatHasNoGradient) {
  const Tensor plain = vector({1});
  EXPECT_THAT([&] { plain.backward(); }, ThrowsMessage<Error>(HasSubstr("nothing is recorded")));
  const Tensor x = variable({1, 2});
  EXPECT_THAT([&] { (x * x).backward(); }, ThrowsMessage<Error>(HasSubstr("one element")));
  EXPECT_THAT([&] { (x * x).backward(vector({1})); },
              ThrowsMessage<Error>(HasSubstr("the gradient given")));
}

TEST_F(BackwardTest, AChangedValueIsNamed) {
  const Tensor x = variable({1, 2});
  const Tensor factor = vector({3, 4});
  factor.set_name("factor");
  const Tensor y = x * factor;
  factor.fill_(0);
  EXPECT_THAT([&] { reduce_sum(y).backward(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'factor'"), HasSubstr("changed in place"))));
}

}  // namespace
}  // namespace loci::eager
