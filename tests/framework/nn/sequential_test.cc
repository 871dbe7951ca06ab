#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class SequentialTest : public NnTest {};

TEST_F(SequentialTest, RunsOneAfterTheOther) {
  Sequential model;
  model.add<Linear>(3, 4, doubles()).add<ReLU>().add<Linear>(4, 2, doubles());
  const Tensor x = varied({2, 3});
  EXPECT_EQ(elements(model(x)), elements(model[2](relu(model[0](x)))));
  EXPECT_EQ(model.size(), 3U);
}

TEST_F(SequentialTest, PrintsItsModules) {
  Sequential inner;
  auto model = std::make_shared<Sequential>();
  model->add<Linear>(10, 1).add<ReLU>();
  inner.add(model);
  EXPECT_EQ(model->to_string(),
            "Sequential(\n"
            "  (0): Linear(in_features=10, out_features=1, bias=True)\n"
            "  (1): ReLU()\n"
            ")");
  EXPECT_EQ(inner.to_string(),
            "Sequential(\n"
            "  (0): Sequential(\n"
            "    (0): Linear(in_features=10, out_features=1, bias=True)\n"
            "    (1): ReLU()\n"
            "  )\n"
            ")");
  EXPECT_EQ(Sequential().to_string(), "Sequential()");
}

TEST_F(SequentialTest, WithoutModulesGivesBackWhatItGets) {
  const Tensor x = varied({2});
  EXPECT_EQ(Sequential()(x).impl(), x.impl());
}

TEST_F(SequentialTest, HasRightGradients) {
  Sequential model;
  model.add<Linear>(3, 4, doubles()).add<Tanh>().add<Linear>(4, 2, doubles());
  expect_right_gradients(model, varied({2, 3}));
  expect_same_on_accelerator(model, varied({2, 3}));
}

TEST_F(SequentialTest, RefusesWhatIsNotThere) {
  Sequential model;
  EXPECT_THAT([&] { model[0]; },
              ThrowsMessage<Error>(HasSubstr("[Sequential] has 0 modules, and none at 0")));
  EXPECT_THAT([&] { model.add(nullptr); },
              ThrowsMessage<Error>(HasSubstr("the child '0' of Sequential is a null pointer")));
  EXPECT_EQ(model.size(), 0U);
}

}  // namespace
}  // namespace loci::nn
