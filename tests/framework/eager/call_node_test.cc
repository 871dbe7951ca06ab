#include "framework/eager/call_node.h"

#include "framework/eager/call.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

class CallNodeTest : public EagerTest {};

TEST_F(CallNodeTest, NothingIsRecordedWithoutNeed) {
  EXPECT_FALSE(requires_grad(vector({1}) * vector({2})));
  const Tensor x = variable({1});
  const NoGrad scope;
  EXPECT_FALSE(requires_grad(x * x));
}

TEST_F(CallNodeTest, IntegersHaveNoGradient) {
  const Tensor x = variable({1, 2});
  EXPECT_FALSE(requires_grad(cast(x, kInt32)));
  EXPECT_FALSE(requires_grad(x < x));
}

TEST_F(CallNodeTest, SavesOnlyWhatTheGradientReads) {
  std::weak_ptr<tensor::Storage> sum_storage;
  std::weak_ptr<tensor::Storage> product_storage;
  const Tensor x = variable({1, 2});
  Tensor result;
  {
    const Tensor plain = vector({1, 2});
    sum_storage = plain.impl()->storage();
    const Tensor factor = vector({3, 4});
    product_storage = factor.impl()->storage();
    result = (x + plain) * factor;
  }
  EXPECT_TRUE(sum_storage.expired());
  EXPECT_FALSE(product_storage.expired());
  reduce_sum(result).backward();
  EXPECT_TRUE(product_storage.expired());
}

// The statistics that layer_norm gives too are not differentiated.
TEST_F(CallNodeTest, OutputsWithoutAGradientAreNotInTheWay) {
  const Tensor x = Tensor::from<float>({1, 5}, {1, 2}).set_requires_grad();
  const std::vector<Tensor> results = OpCall<Tensor>("layer_norm").input("x", x).results();
  reduce_sum(results[0] * vector({1, 0})).backward({}, /*retain_graph=*/true);
  EXPECT_NEAR(floats(x.grad())[0], 0, 1e-3);
  EXPECT_THAT([&] { reduce_sum(results[1]).backward(); },
              ::testing::ThrowsMessage<Error>(
                  ::testing::HasSubstr("[layer_norm] a gradient reaches the output 'mean'")));
}

// There are more outputs than there are bits to tell them by.
TEST_F(CallNodeTest, ManyOutputsMayHaveNoGradient) {
  const Tensor x = Tensor::from(std::vector<float>(200, 1.0F), {100, 2}).set_requires_grad();
  const std::vector<Tensor> rows = unstack(x);
  reduce_sum(rows[70] * 3.0).backward();
  const std::vector<float> grad = floats(x.grad());
  EXPECT_EQ(grad[140], 3);
  EXPECT_EQ(grad[0], 0);
  EXPECT_EQ(grad[199], 0);
}

TEST_F(CallNodeTest, ANodeDoesNotHoldItself) {
  std::weak_ptr<tensor::Storage> storage;
  {
    const Tensor y = sigmoid(variable({1}));
    storage = y.impl()->storage();
  }
  EXPECT_TRUE(storage.expired());
}

}  // namespace
}  // namespace loci::eager
