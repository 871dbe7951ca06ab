#include "framework/execution/profile_script.h"

#include <fmt/format.h>

#include "framework/profiler/collector.h"
#include "framework/profiler/label_table.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

using planning::EarlierStage;
using planning::PlanRequest;
using profiler::Level;

// "relu(0)": scopes by name with the instructions launched in them; a scope that has the
// correlation of an instruction shows it as "@i".
std::string text_of(const ProfileScript& script) {
  std::string text;
  for (const ProfileStep& step : script.steps) {
    switch (step.kind) {
      case ProfileStep::Kind::kOpen:
        text += profiler::LabelTable::instance().at(step.label).name;
        if (step.launches) text += fmt::format("@{}", step.instruction);
        text += '(';
        break;
      case ProfileStep::Kind::kLaunch: text += fmt::format(" {} ", step.instruction); break;
      case ProfileStep::Kind::kClose: text += ')'; break;
    }
  }
  return text;
}

class ProfileScriptTest : public executor::ProgramsTest {};

TEST_F(ProfileScriptTest, HasAScopeForEachOperator) {
  const Variable y = scale(relu(data("x", {2}, kFloat32)), 2.0);
  const auto plan = compile({feed_of("x", {2})}, {y.name()}, "cpu", CompileOptions::none());
  EXPECT_EQ(text_of(make_profile_script(*plan, Level::kOp)), "relu@0( 0 )scale@1( 1 )");
}

TEST_F(ProfileScriptTest, TellsPhasesApartInDetail) {
  const Variable y = relu(data("x", {2}, kFloat32));
  const auto plan = compile({feed_of("x", {2})}, {y.name()}, "cpu", CompileOptions::none());
  EXPECT_EQ(text_of(make_profile_script(*plan, Level::kDetail)), "relu(compute@0( 0 ))");
}

TEST_F(ProfileScriptTest, PutsCopiesIntoTheirPhase) {
  const Variable y = softmax(relu(data("x", {2}, kFloat32)));
  const auto plan = compile({feed_of("x", {2})}, {y.name()}, "toy:0", CompileOptions::none());
  // Toy has a kernel of relu and none of softmax.
  EXPECT_EQ(text_of(make_profile_script(*plan, Level::kDetail)),
            "relu(prepare_data( 0 )compute@1( 1 ))softmax(prepare_data( 2 )compute@3( 3 ))");
  EXPECT_EQ(text_of(make_profile_script(*plan, Level::kOp)), "relu@1( 0  1 )softmax@3( 2  3 )");
}

TEST_F(ProfileScriptTest, ShowsWhatALaterStageHangsOn) {
  const Variable extents = relu(data("extents", {2}, kFloat32));
  const Variable counts = [&] {
    const DeviceGuard guard("toy:0");
    return scale(extents, 1.0);
  }();
  const Variable y = crop_tensor(data("x", {3, 3}, kFloat32), cast(counts, kInt32));
  const auto plan = compile({feed_of("extents", {2}), feed_of("x", {3, 3})}, {y.name()}, "cpu",
                            CompileOptions::none());
  const std::string text = text_of(make_profile_script(*plan, Level::kOp));
  EXPECT_EQ(text.find("crop_tensor"), std::string::npos) << text;
}

TEST_F(ProfileScriptTest, GathersWhatOneGradientRuns) {
  const Variable x = data("x", {2}, kFloat32);
  x.set_stop_gradient(false);
  const Variable y = mean(square(relu(relu(x))));
  const Variable grad = gradients(y, {x})[0];
  const auto plan = compile({feed_of("x", {2})}, {grad.name()}, "cpu", CompileOptions::none());
  const std::string text = text_of(make_profile_script(*plan, Level::kOp));
  // Two operators of the same type have two gradients.
  const std::size_t first = text.find("relu_grad(");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_NE(text.find(")relu_grad(", first + 1), std::string::npos) << text;
  EXPECT_NE(text.find("square_grad("), std::string::npos) << text;
}

TEST_F(ProfileScriptTest, IsWhatARunRecords) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable y = relu(x);
  Executor executor("cpu", CompileOptions::none(), scope_);
  executor.run(main_, {{"x", vector({1, 2})}}, {y});
  profiler::CollectorOptions options;
  options.level = Level::kDetail;
  profiler::Collector::instance().begin(options);
  executor.run(main_, {{"x", vector({1, 2})}}, {y});
  const profiler::Harvest harvest = profiler::Collector::instance().end();
  std::vector<std::string> names;
  for (const profiler::Record& record : harvest.threads.at(0).records) {
    const profiler::Label label = profiler::LabelTable::instance().at(record.label);
    if (label.kind != LOCI_SPAN_KIND_COUNT) names.push_back(label.name);
  }
  EXPECT_THAT(names, ::testing::ElementsAre("init_variables", "feed", "compute", "relu", "fetch",
                                            "eager_release", "run"));
}

// A branch that has been put in place shows as what it was.
TEST_F(ProfileScriptTest, BranchesHaveScopes) {
  const Variable on = data("on", {1}, kBool);
  const Variable x = data("x", {2}, kFloat32);
  const Variable y = cond(
      on,
      [&] {
        return cond(
            on, [&] { return relu(tanh(x)); }, [&] { return x; });
      },
      [&] { return x; });
  const Variable z = scale(y, 2.0);
  const auto plan = compile({feed_of("on", {1}, kBool), feed_of("x", {2})}, {z.name()}, "cpu",
                            CompileOptions::none());
  EarlierStage earlier;
  earlier.plan = plan.get();
  earlier.values.emplace_back(on.id(), Tensor::from<bool>({true}, {1}));
  PlanRequest request;
  request.device = &device_at("cpu");
  request.scope = scope_.impl().get();
  request.earlier = &earlier;
  const auto rest = compile_plan(request, &kernels_);
  EXPECT_EQ(text_of(make_profile_script(*rest, Level::kOp)),
            "conditional_block(conditional_block(tanh@0( 0 )relu@1( 1 )))scale@2( 2 )");
}

}  // namespace
}  // namespace loci::execution
