#include "framework/execution/plan_memory.h"

#include <malloc.h>

#include "framework/core/sanitizer.h"
#include "framework/execution/plan_run.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

using planning::PlanRequest;

class PlanMemoryTest : public executor::ProgramsTest {
 protected:
  std::shared_ptr<const Plan> compiled(const std::string& fetch, std::int64_t extent) {
    PlanRequest request;
    request.program = main_.impl();
    request.feeds = {feed_of("x", {extent})};
    request.fetches = {fetch};
    request.device = &device_at("cpu");
    request.options = CompileOptions::none();
    request.scope = scope_.impl().get();
    request.memory = memory_;
    return compile_plan(request, &kernels_);
  }
  std::shared_ptr<PlanMemory> memory_ = std::make_shared<PlanMemory>();
};

TEST_F(PlanMemoryTest, CountsPlansAndFramesForAsLongAsTheyLive) {
  const Variable y = relu(relu(data("x", {-1}, kFloat32)));
  auto plan = compiled(y.name(), 1 << 20);
  EXPECT_EQ(memory_->plans, plan->bytes());
  EXPECT_EQ(memory_->frames, 0U);
  {
    const PlanRun first(*plan);
    EXPECT_TRUE(memory_->has_grown);
    EXPECT_EQ(memory_->frames, frame_bytes(*plan));
    const PlanRun second(*plan);
    EXPECT_EQ(memory_->frames, 2 * frame_bytes(*plan));
  }
  EXPECT_EQ(memory_->frames, 2 * frame_bytes(*plan)) << "kept for the next runs";
  plan->drop_idle_frames();
  EXPECT_EQ(memory_->frames, 0U);
  plan.reset();
  EXPECT_EQ(memory_->plans, 0U);
}

TEST_F(PlanMemoryTest, PlansShareTheArenasOfTheirRuns) {
  const Variable y = relu(relu(data("x", {-1}, kFloat32)));
  const auto large = compiled(y.name(), 1 << 20);
  const auto small = compiled(y.name(), 1 << 10);
  EXPECT_EQ(arena_bytes(*large), std::uint64_t{4} << 20) << "the value between the two";
  { const PlanRun run(*small); }
  EXPECT_EQ(memory_->shared, arena_bytes(*small));
  { const PlanRun run(*large); }
  EXPECT_EQ(memory_->shared, arena_bytes(*large)) << "in place of the smaller one";
  {
    const PlanRun outer(*small);
    EXPECT_EQ(memory_->shared, arena_bytes(*large));
    const PlanRun inner(*small);
    EXPECT_EQ(memory_->shared, arena_bytes(*large) + arena_bytes(*small)) << "two at a time";
  }
  memory_->arenas.drop_above(arena_bytes(*small));
  EXPECT_EQ(memory_->shared, arena_bytes(*small));
}

// A failed run may have left work in it.
TEST_F(PlanMemoryTest, AFailedRunGivesNoArenaBack) {
  const Variable y = relu(relu(data("x", {-1}, kFloat32)));
  const auto plan = compiled(y.name(), 1 << 10);
  {
    PlanRun run(*plan);
    run.begin();
  }
  EXPECT_EQ(memory_->shared, 0U);
  EXPECT_EQ(memory_->frames, 0U);
}

TEST_F(PlanMemoryTest, TheRestOfAPlanAndLoopsCountToo) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = cast(reduce_sum(nonzero(x)), kFloat32);
  Executor executor("cpu", CompileOptions::none(), scope_);
  const auto bytes_after = [&](const std::vector<float>& values) {
    executor.run(main_, {{"x", vector(values)}}, {y});
    return inspect::caches(executor).plan_bytes;
  };
  const std::uint64_t one = bytes_after({0, 1, 0, 1});
  EXPECT_EQ(bytes_after({1, 1, 0, 0}), one) << "as many elements are not zero";
  EXPECT_GT(bytes_after({1, 1, 1, 0}), one);
}

#if defined(__GLIBC__) && !defined(LOCI_ASAN) && !defined(LOCI_TSAN)
// A bound in bytes is worth what the bytes are: within a third of what the heap says.
TEST_F(PlanMemoryTest, IsAboutWhatTheHeapSays) {
  Variable y = data("x", {-1}, kFloat32);
  for (int i = 0; i < 200; ++i) y = scale(elementwise_add(y, y), 0.5);
  std::vector<std::shared_ptr<const Plan>> plans{compiled(y.name(), 1)};
  const std::size_t before = mallinfo2().uordblks;
  const std::uint64_t counted = memory_->plans;
  for (std::int64_t extent = 1; extent <= 20; ++extent) plans.push_back(compiled(y.name(), extent));
  const auto taken = static_cast<double>(mallinfo2().uordblks - before);
  const auto told = static_cast<double>(memory_->plans - counted);
  EXPECT_GT(told, taken * 2 / 3) << taken;
  EXPECT_LT(told, taken * 4 / 3) << taken;
}
#endif

}  // namespace
}  // namespace loci::execution
