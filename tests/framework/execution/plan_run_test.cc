#include "framework/execution/plan_run.h"

#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

using planning::PlanRequest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class PlanRunTest : public executor::ProgramsTest {
 protected:
  PlanRunTest() : x_(data("x", {2}, kFloat32)) {}

  // Returns the elements of the first fetch of a run.
  static std::vector<float> fetched(PlanRun& run) {
    std::vector<float> out(2);
    const PlanFetch& fetch = run.plan().fetches.front();
    run.bind_fetch(fetch, out.data());
    StageScopes scopes;
    run.enqueue(scopes);
    run.fetch(fetch, {nullptr, out.data()}, {}, /*wait=*/true);
    run.wait();
    return out;
  }
  Variable x_;
  std::vector<float> fed_{1, -2};
};

TEST_F(PlanRunTest, EachStepIsOneOfItsOwn) {
  const auto plan = compile({feed_of("x", {2})}, {relu(x_).name()});
  PlanRun run(*plan);
  ASSERT_TRUE(run.bind_scope(*scope_.impl()));
  run.bind(plan->feeds[0].value, fed_.data());
  run.begin();
  std::vector<float> out{7, 7};
  run.bind_fetch(plan->fetches[0], out.data());
  EXPECT_THAT(out, ElementsAre(7, 7)) << "nothing is enqueued yet";
  StageScopes scopes;
  run.enqueue(scopes);
  run.wait();
  EXPECT_THAT(out, ElementsAre(1, 0));
}

// A fed value cannot be computed where it is wanted.
TEST_F(PlanRunTest, CopiesWhatIsNotComputedInPlace) {
  const auto plan = compile({feed_of("x", {2})}, {x_.name()});
  EXPECT_FALSE(computes_in_place(*plan, plan->fetches[0]));
  PlanRun run(*plan);
  run.bind(plan->feeds[0].value, fed_.data());
  EXPECT_THAT(fetched(run), ElementsAre(1, -2));
}

TEST_F(PlanRunTest, GivesTheFrameBack) {
  const auto plan = compile({feed_of("x", {2})}, {relu(x_).name()});
  const Frame* frame = nullptr;
  {
    PlanRun run(*plan);
    frame = &run.frame();
    run.bind(plan->feeds[0].value, fed_.data());
    EXPECT_THAT(fetched(run), ElementsAre(1, 0));
  }
  PlanRun again(*plan);
  EXPECT_EQ(&again.frame(), frame);
}

TEST_F(PlanRunTest, KeepsNoFrameOfARunThatFailed) {
  const Variable label = data("label", {1, 1}, kInt64);
  const Variable loss = cross_entropy(data("p", {1, 2}, kFloat32), label);
  const auto memory = std::make_shared<PlanMemory>();
  PlanRequest request;
  request.program = main_.impl();
  request.feeds = {feed_of("p", {1, 2}), feed_of("label", {1, 1}, kInt64)};
  request.fetches = {loss.name()};
  request.device = &device_at("cpu");
  request.scope = scope_.impl().get();
  request.memory = memory;
  const auto plan = compile_plan(request, &kernels_);
  {
    std::int64_t label_value = 9;
    float out = 0;
    PlanRun run(*plan);
    run.bind(plan->feeds[0].value, fed_.data());
    run.bind(plan->feeds[1].value, &label_value);
    run.bind_fetch(plan->fetches[0], &out);
    StageScopes scopes;
    EXPECT_THROW(run.enqueue(scopes), Error);
    EXPECT_GT(memory->frames, 0U);
  }
  EXPECT_EQ(memory->frames, 0U) << "of no run any more";
}

TEST_F(PlanRunTest, TellsThatTheScopeHasChanged) {
  const Variable w = create_parameter({2}, kFloat32, initializer::constant(1), "w");
  scope_.set("w", vector({1, 2}));
  const auto plan = compile({feed_of("x", {2})}, {elementwise_add(x_, w).name()});
  scope_.set("w", vector({1, 2, 3}));
  PlanRun run(*plan);
  EXPECT_FALSE(run.bind_scope(*scope_.impl()));
  EXPECT_THAT(
      [&] { run.require_scope(*scope_.impl(), "a loop ran"); },
      ThrowsMessage<Error>(HasSubstr("[executor] the scope changed while a loop ran; do not "
                                     "set variables from another thread meanwhile")));
}

}  // namespace
}  // namespace loci::execution
