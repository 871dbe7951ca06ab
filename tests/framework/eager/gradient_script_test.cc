#include "framework/eager/gradient_script.h"

#include "framework/eager/call.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class GradientScriptTest : public EagerTest {
 protected:
  static std::shared_ptr<const CallPlan> binary(const char* op) {
    OpCall<Tensor> call(op);
    call.input("x", zeros({2})).input("y", zeros({2}));
    return plan_of(call).plan;
  }
};

TEST_F(GradientScriptTest, SaysWhichValuesItReads) {
  EXPECT_THAT(binary("elementwise_add")->gradient(3, 1).reads(), IsEmpty());
  EXPECT_THAT(binary("elementwise_mul")->gradient(3, 1).reads(), ElementsAre(0, 1));
  EXPECT_THAT(binary("elementwise_mul")->gradient(1, 1).reads(), ElementsAre(1));
}

TEST_F(GradientScriptTest, RunsTheGradient) {
  const auto plan = binary("elementwise_mul");
  const GradientScript& script = plan->gradient(3, 1);
  GradientScript::Values values;
  values.resize(script.value_count());
  values[0] = vector({1, 2});
  values[1] = vector({3, 4});
  values[3] = vector({10, 20});
  script.run(values);
  EXPECT_THAT(floats(values[static_cast<std::size_t>(script.results()[0].value)]),
              ElementsAre(30, 80));
  EXPECT_THAT(floats(values[static_cast<std::size_t>(script.results()[1].value)]),
              ElementsAre(10, 40));
}

TEST_F(GradientScriptTest, LetsGoOfWhatNoFurtherStepReads) {
  const auto plan = binary("elementwise_mul");
  const GradientScript& script = plan->gradient(3, 1);
  GradientScript::Values values;
  values.resize(script.value_count());
  for (const std::size_t i : {0U, 1U, 3U}) values[i] = vector({1, 2});
  script.run(values);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_FALSE(values[i].defined()) << i;
}

TEST_F(GradientScriptTest, KeepsAResultThatAStepReadsToo) {
  OpCall<Tensor> call("elementwise_sub");
  call.input("x", zeros({2})).input("y", zeros({2}));
  const auto plan = plan_of(call).plan;
  const GradientScript& script = plan->gradient(3, 1);
  GradientScript::Values values;
  values.resize(script.value_count());
  values[3] = vector({10, 20});
  script.run(values);
  EXPECT_THAT(floats(values[static_cast<std::size_t>(script.results()[0].value)]),
              ElementsAre(10, 20));
  EXPECT_THAT(floats(values[static_cast<std::size_t>(script.results()[1].value)]),
              ElementsAre(-10, -20));
}

TEST_F(GradientScriptTest, RowsStayRows) {
  OpCall<Tensor> call("embedding");
  call.input("weight", zeros({4, 2})).input("ids", Tensor::from<std::int64_t>({1, 3}, {2}));
  const auto plan = plan_of(call).plan;
  EXPECT_GE(plan->gradient(1, 1).results()[0].rows, 0);
}

}  // namespace
}  // namespace loci::eager
