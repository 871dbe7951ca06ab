#include <algorithm>
#include <cmath>

#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class DropoutTest : public NnTest {};

TEST_F(DropoutTest, DropsInTrainingOnly) {
  Dropout module(0.25);
  const Tensor x = ones({1000}, kFloat64);
  seed(3);
  const std::vector<double> first = elements(module(x));
  const auto dropped = static_cast<int>(std::count(first.begin(), first.end(), 0.0));
  EXPECT_GT(dropped, 180);
  EXPECT_LT(dropped, 320);
  EXPECT_EQ(std::count(first.begin(), first.end(), 1 / 0.75), 1000 - dropped);
  EXPECT_NE(elements(module(x)), first) << "other ones each time";
  seed(3);
  EXPECT_EQ(elements(module(x)), first) << "but not after the same seed";
  module.eval();
  EXPECT_EQ(module(x).impl(), x.impl());
}

TEST_F(DropoutTest, DropsTheSameOnEveryPlace) {
  Dropout module;
  const Tensor x = varied({50});
  seed(1);
  const std::vector<double> here = elements(module(x));
  seed(1);
  EXPECT_EQ(elements(module(x.to("sim:1"))), here);
}

TEST_F(DropoutTest, GradientsGoThroughWhatStays) {
  Dropout module(0.5);
  const Tensor x = ones({20}, kFloat64);
  x.set_requires_grad();
  const Tensor y = module(x);
  reduce_sum(y).backward();
  EXPECT_EQ(elements(x.grad()), elements(y));
}

TEST_F(DropoutTest, Prints) { EXPECT_EQ(Dropout(0.25).to_string(), "Dropout(p=0.25)"); }

TEST_F(DropoutTest, RefusesWhatIsNoProbability) {
  EXPECT_THAT([] { Dropout(1.5); },
              ThrowsMessage<Error>(HasSubstr("[Dropout] p is 1.5; give a probability, in [0, 1]")));
  EXPECT_THAT([] { Dropout(std::nan("")); }, ThrowsMessage<Error>(HasSubstr("[Dropout] p is nan")));
}

}  // namespace
}  // namespace loci::nn
