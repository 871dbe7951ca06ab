#include "framework/eager/launch.h"

#include <numeric>

#include "framework/eager/call.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::ElementsAre;

class LaunchTest : public EagerTest {
 protected:
  static std::shared_ptr<const CallPlan> planned(OpCall<Tensor>& call) {
    return plan_of(call).plan;
  }
};

TEST_F(LaunchTest, RunsTheKernelOnItsArguments) {
  const Tensor x = vector({-1, 2});
  const Tensor y = zeros({2});
  const tensor::TensorImpl* arguments[] = {x.impl().get(), y.impl().get()};
  launch(*planned(OpCall<Tensor>("relu").input("x", x)), arguments, nullptr);
  EXPECT_THAT(floats(y), ElementsAre(0, 2));
}

TEST_F(LaunchTest, TakesAnyNumberOfArguments) {
  std::vector<Tensor> parts;
  for (int i = 0; i < 12; ++i) parts.push_back(vector({static_cast<float>(i)}));
  const Tensor whole = zeros({12});
  std::vector<const tensor::TensorImpl*> arguments;
  for (const Tensor& part : parts) arguments.push_back(part.impl().get());
  arguments.push_back(whole.impl().get());
  launch(*planned(OpCall<Tensor>("concat").inputs_of("x", parts)), arguments.data(), nullptr);
  std::vector<float> expected(12);
  std::iota(expected.begin(), expected.end(), 0.0F);
  EXPECT_EQ(floats(whole), expected);
}

TEST_F(LaunchTest, AnOutputLiesWhereThePlanRuns) {
  const Tensor here = vector({1, 2});
  const Tensor there = here.to("sim:0");
  const auto on_host = planned(OpCall<Tensor>("relu").input("x", here));
  const auto on_device = planned(OpCall<Tensor>("relu").input("x", there));
  const Tensor a = make_output(*on_host, on_host->outputs[0], *on_host->queue, Provision::kNow);
  const Tensor b =
      make_output(*on_device, on_device->outputs[0], *on_device->queue, Provision::kNow);
  EXPECT_EQ(a.place(), Place());
  EXPECT_EQ(b.place(), Place("sim:0"));
  EXPECT_EQ(b.shape(), there.shape());
  EXPECT_EQ(b.impl()->storage()->home, on_device->queue);
  EXPECT_STREQ(a.impl()->storage()->name, "relu.out");
  EXPECT_STREQ(b.impl()->storage()->name, "relu.out");
}

TEST_F(LaunchTest, AnOutputMayGetItsMemoryFromItsTask) {
  const auto memory_of = [](const Tensor& x, Provision provision) {
    const auto plan = planned(OpCall<Tensor>("relu").input("x", x));
    return make_output(*plan, plan->outputs[0], *plan->queue, provision).impl()->storage()->data;
  };
  EXPECT_NE(memory_of(zeros({8}), Provision::kNow), nullptr);
  EXPECT_EQ(memory_of(zeros({8}), Provision::kByTask), nullptr);
  EXPECT_NE(memory_of(zeros({8 << 20}), Provision::kByTask), nullptr)
      << "a lack of memory for a large one is met at the call";
}

}  // namespace
}  // namespace loci::eager
