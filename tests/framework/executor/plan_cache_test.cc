#include "framework/executor/plan_cache.h"

#include "framework/core/config.h"
#include "framework/execution/plan_run.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::executor {
namespace {

using execution::Plan;
using execution::PlanRun;
using planning::PlanRequest;

class PlanCacheTest : public ProgramsTest {
 protected:
  PlanCacheTest() : y_(relu(relu(data("x", {-1}, kFloat32)))) {}

  static Feed fed(std::int64_t extent) { return {{"x", Tensor::empty({extent}, kFloat32)}}; }
  // Compiles for that extent and keeps the plan.
  std::shared_ptr<const Plan> add(PlanCache& cache, std::int64_t extent) {
    PlanRequest request;
    request.program = main_.impl();
    request.feeds = {feed_of("x", {extent})};
    request.fetches = {y_.name()};
    request.device = &device_at("cpu");
    request.options = CompileOptions::none();
    request.scope = scope_.impl().get();
    request.memory = cache.memory();
    auto plan = compile_plan(request, &kernels_);
    cache.insert(main_, main_.impl()->version(), fed(extent), {y_}, plan);
    return plan;
  }
  bool has(PlanCache& cache, std::int64_t extent) {
    return cache.find(main_, fed(extent), {y_}) != nullptr;
  }
  // Returns the bytes that one plan takes.
  std::uint64_t plan_size() {
    PlanCache cache;
    return add(cache, 1)->bytes();
  }
  Variable y_;
};

TEST_F(PlanCacheTest, FindsByFeedsAndFetches) {
  PlanCache cache;
  const auto plan = add(cache, 2);
  const auto other = add(cache, 3);
  EXPECT_EQ(cache.find(main_, fed(2), {y_}), plan);
  EXPECT_EQ(cache.find(main_, fed(3), {y_}), other);
  EXPECT_EQ(cache.find(main_, fed(4), {y_}), nullptr);
  EXPECT_EQ(cache.find(main_, fed(2), {}), nullptr);
  EXPECT_EQ(cache.find(startup_, fed(2), {y_}), nullptr);
  cache.erase(plan);
  EXPECT_FALSE(has(cache, 2));
  EXPECT_TRUE(has(cache, 3));
}

TEST_F(PlanCacheTest, FindsAmongMany) {
  PlanCache cache;
  std::vector<std::shared_ptr<const Plan>> plans;
  for (std::int64_t extent = 1; extent <= 20; ++extent) plans.push_back(add(cache, extent));
  for (const std::int64_t extent : {20, 1, 2, 1, 2, 13, 17, 1}) {
    EXPECT_EQ(cache.find(main_, fed(extent), {y_}), plans[static_cast<std::size_t>(extent) - 1]);
  }
}

TEST_F(PlanCacheTest, AnUndefinedFeedIsNoneThatItHas) {
  PlanCache cache;
  add(cache, 2);
  EXPECT_EQ(cache.find(main_, {{"x", Tensor()}}, {y_}), nullptr);
}

TEST_F(PlanCacheTest, PlansOfAnEarlierVersionAreDropped) {
  PlanCache cache;
  add(cache, 2);
  add(cache, 3);
  main_.impl()->touch();
  EXPECT_FALSE(has(cache, 2));
  add(cache, 2);
  EXPECT_EQ(cache.size(), 1U);
}

TEST_F(PlanCacheTest, KeepsToItsBytesAndDropsWhatIsLongestUnused) {
  PlanCache cache(plan_size() * 7 / 2);  // three plans
  for (const std::int64_t extent : {1, 2, 3}) add(cache, extent);
  EXPECT_EQ(cache.size(), 3U);
  EXPECT_TRUE(has(cache, 1));
  add(cache, 4);
  EXPECT_EQ(cache.size(), 3U);
  EXPECT_TRUE(has(cache, 1));
  EXPECT_FALSE(has(cache, 2));
  EXPECT_LE(cache.memory()->plans, cache.memory()->most_bytes);
}

TEST_F(PlanCacheTest, KeepsTheLatestPlanInAnyCase) {
  PlanCache cache(0);
  const auto plan = add(cache, 1);
  EXPECT_TRUE(has(cache, 1));
  { const PlanRun run(*plan); }
  cache.trim();
  EXPECT_TRUE(has(cache, 1));
  EXPECT_GT(cache.memory()->frames, 0U) << "its frame too: the next run is the same";
}

TEST_F(PlanCacheTest, FreesTheMemoryOfRunsBeforeItDropsPlans) {
  PlanCache cache(plan_size() * 10);
  std::vector<std::shared_ptr<const Plan>> plans;
  for (std::int64_t extent = 1; extent <= 8; ++extent) plans.push_back(add(cache, extent));
  for (int concurrent = 0; concurrent < 64; ++concurrent) {
    const PlanRun one(*plans[0]);
    const PlanRun other(*plans[1]);
    std::vector<std::unique_ptr<PlanRun>> more;
    for (int i = 0; i < concurrent; ++i) more.push_back(std::make_unique<PlanRun>(*plans[1]));
  }
  EXPECT_TRUE(cache.memory()->is_over());
  cache.trim();
  EXPECT_FALSE(cache.memory()->is_over());
  EXPECT_EQ(cache.size(), 8U);
}

TEST_F(PlanCacheTest, FreesLargeArenasThatTheLatestPlanHasNoUseFor) {
  PlanCache cache(1 << 20);
  const auto large = add(cache, 1 << 20);
  { const PlanRun run(*large); }
  cache.trim();
  EXPECT_EQ(cache.memory()->shared, std::uint64_t{4} << 20) << "the next run is the same";
  (void)add(cache, 1 << 19);
  EXPECT_EQ(cache.memory()->shared, std::uint64_t{4} << 20) << "half of it is used";
  (void)add(cache, 1 << 10);
  EXPECT_EQ(cache.memory()->shared, 0U);
}

TEST_F(PlanCacheTest, MakesRoomForOthers) {
  PlanCache cache;
  for (const std::int64_t extent : {1, 2, 3}) add(cache, extent);
  cache.drop_older_half();
  EXPECT_FALSE(has(cache, 1));
  EXPECT_TRUE(has(cache, 2));
  EXPECT_TRUE(has(cache, 3));
  cache.drop_older_half();
  cache.drop_older_half();
  EXPECT_EQ(cache.size(), 1U);
}

// A service does this whose requests have any length.
TEST_F(PlanCacheTest, ThousandsOfShapesStayWithinTheBytes) {
  PlanCache cache(plan_size() * 100);
  for (std::int64_t extent = 1; extent <= 5000; ++extent) add(cache, extent);
  EXPECT_GE(cache.size(), 80U);
  EXPECT_LE(cache.size(), 100U);
  EXPECT_TRUE(has(cache, 5000));
  EXPECT_FALSE(has(cache, 1));
}

TEST_F(PlanCacheTest, TheEnvironmentSetsTheBytes) {
  EXPECT_EQ(most_plan_bytes(), std::nullopt);
  core::set_config_value("PLAN_CACHE", "4096");
  EXPECT_EQ(most_plan_bytes(), 4096U);
  core::set_config_value("PLAN_CACHE", "");
}

TEST_F(PlanCacheTest, KeepsFourPlansOfAnySizeUnlessItIsTold) {
  for (int i = 0; i < 12000; ++i) y_ = scale(y_, 0.5);
  PlanCache cache;
  for (std::int64_t extent = 1; extent <= 4; ++extent) add(cache, extent);
  EXPECT_GT(cache.memory()->kept(), std::uint64_t{32} << 20);
  EXPECT_EQ(cache.size(), 4U);
  EXPECT_GE(cache.memory()->limit(), cache.memory()->kept());
}

}  // namespace
}  // namespace loci::executor
