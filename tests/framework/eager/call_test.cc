#include "framework/eager/call.h"

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class CallTest : public EagerTest {};

TEST_F(CallTest, ComputesWhereTheTensorsAre) {
  for (const char* place : {"cpu", "sim:0", "sim:1"}) {
    const Tensor x = vector({1, 2, 3}).to(place);
    const Tensor y = relu(x - 2.0) * x;
    EXPECT_EQ(y.place(), Place(place));
    EXPECT_THAT(floats(y), ElementsAre(0, 0, 3));
  }
}

TEST_F(CallTest, AGuardMovesWhatLiesElsewhere) {
  const Tensor x = vector({1, 2});
  const DeviceGuard guard("sim:1");
  const Tensor y = x + x;
  EXPECT_EQ(y.place(), Place("sim:1"));
  EXPECT_THAT(floats(y), ElementsAre(2, 4));
}

TEST_F(CallTest, StateThatIsChangedElsewhereGoesBack) {
  const Tensor count = Tensor::scalar<std::int64_t>(3);
  const std::uint64_t version = count.version();
  const DeviceGuard guard("sim:0");
  EXPECT_EQ(increment(count).impl(), count.impl());
  EXPECT_EQ(count.place(), Place());
  EXPECT_EQ(count.item<std::int64_t>(), 4);
  EXPECT_GT(count.version(), version);
}

TEST_F(CallTest, AnOpWithoutAKernelThereGoesToTheHostAndBack) {
  const Tensor x = Tensor::from<float>({1, 9, 3, 4}, {2, 2}).to("sim:0");
  const Tensor index = argmax(x, 1);
  EXPECT_EQ(index.place(), Place("sim:0"));
  EXPECT_THAT(index.to_vector<std::int64_t>(), ElementsAre(1, 1));
}

TEST_F(CallTest, ExtentsMayComeFromTensors) {
  const Tensor shape = Tensor::from<std::int64_t>({2, 2}, {2});
  const Tensor made = reshape(vector({1, 2, 3, 4}).to("sim:0"), shape);
  EXPECT_EQ(made.shape(), Shape({2, 2}));
  EXPECT_EQ(made.place(), Place("sim:0"));
}

TEST_F(CallTest, ABoundedResultHasTheExtentThatTheDataGives) {
  const Tensor found = nonzero(Tensor::from<std::int64_t>({0, 5, 0, 7}, {4}));
  EXPECT_EQ(found.shape(), Shape({2, 1}));
  EXPECT_THAT(found.to_vector<std::int64_t>(), ElementsAre(1, 3));
}

TEST_F(CallTest, AListOfManyTensorsIsOneArgument) {
  std::vector<Tensor> parts;
  for (int i = 0; i < 100; ++i) parts.push_back(vector({static_cast<float>(i)}));
  const Tensor all = concat(parts);
  EXPECT_EQ(all.shape(), Shape({100}));
  EXPECT_EQ(floats(all)[99], 99);
  EXPECT_EQ(split(all, 100).size(), 100U);
}

TEST_F(CallTest, AnEmptyResultNeedsNoKernel) {
  const Tensor none = Tensor::empty({0, 3}, kFloat32);
  EXPECT_EQ((none + none).shape(), Shape({0, 3}));
}

TEST_F(CallTest, UpdatesChangeTheirState) {
  const Tensor parameter = vector({1, 1}).to("sim:0");
  const Tensor rate = Tensor::from<float>({0.5F}, {1});
  const Tensor updated = sgd(parameter, vector({1, 2}).to("sim:0"), rate);
  EXPECT_EQ(updated.impl(), parameter.impl());
  EXPECT_THAT(floats(parameter), ElementsAre(0.5F, 0));
}

TEST_F(CallTest, AnUpdateOfWhatRequiresAGradientNeedsNoGrad) {
  const Tensor w = variable({1, 1});
  w.set_name("w");
  const Tensor rate = Tensor::from<float>({1}, {1});
  EXPECT_THAT(
      [&] {
        sgd(w, vector({1, 2}), rate);
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("[sgd] changes 'w'"), HasSubstr("NoGrad"))));
  const NoGrad scope;
  sgd(w, vector({1, 2}), rate);
  EXPECT_THAT(floats(w), ElementsAre(0, -1));
}

TEST_F(CallTest, BadArgumentsAreNamed) {
  const Tensor x = vector({1, 2});
  x.set_name("weights");
  EXPECT_THAT(
      [&] {
        x + vector({1, 2, 3});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("[elementwise_add]"), HasSubstr("weights"),
                                 HasSubstr("[2]"), HasSubstr("[3]"))));
  EXPECT_THAT([&] { x + cast(x, kFloat64); }, ThrowsMessage<Error>(HasSubstr("float64")));
  EXPECT_THAT([&] { (void)OpCall<Tensor>("reluu").input("x", x).result(); },
              ThrowsMessage<Error>(HasSubstr("relu")));
  EXPECT_THAT([&] { (void)OpCall<Tensor>("relu").input("y", x).result(); },
              ThrowsMessage<Error>(HasSubstr("[relu] has no input 'y'")));
  EXPECT_THAT([&] { (void)OpCall<Tensor>("relu").input("x", x).input("x", x).result(); },
              ThrowsMessage<Error>(HasSubstr("given twice")));
}

TEST_F(CallTest, AMovedTensorIsRefused) {
  Tensor x = vector({1});
  const Tensor y = std::move(x);
  EXPECT_THAT([&] { relu(x); }, ThrowsMessage<Error>(HasSubstr("input 'x' is missing")));
  EXPECT_THAT(
      [&] {
        concat(std::vector<Tensor>{y, x});
      },
      ThrowsMessage<Error>(HasSubstr("undefined tensor; was it moved from")));
}

}  // namespace
}  // namespace loci::eager
