#include <loci/inspect.hpp>

#include "framework/core/config.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::executor {
namespace {

class CacheReportTest : public ProgramsTest {};

TEST_F(CacheReportTest, TellsWhatAnExecutorKeeps) {
  const Variable y = relu(relu(data("x", {-1}, kFloat32)));
  Executor executor("cpu", CompileOptions::none(), scope_);
  EXPECT_EQ(inspect::caches(executor).plans, 0U);
  executor.run(main_, {{"x", vector({1, 2})}}, {y});
  const inspect::Caches one = inspect::caches(executor);
  EXPECT_EQ(one.plans, 1U);
  EXPECT_GT(one.plan_bytes, 0U);
  EXPECT_GT(one.frame_bytes, 0U);
  EXPECT_GT(one.shared_bytes, 0U);
  EXPECT_EQ(one.most_plan_bytes, std::uint64_t{32} << 20);
  EXPECT_GE(one.kernels, 1U);
  EXPECT_GT(one.kernel_bytes, 0U);
  EXPECT_EQ(one.most_kernel_bytes, std::uint64_t{32} << 20);
  ASSERT_FALSE(one.preparations.empty());
  EXPECT_EQ(one.preparations[0].kernel.rfind("org.loci.cpu/", 0), 0U);
  EXPECT_GE(one.preparations[0].count + one.preparations[0].declined, 1U);
  executor.run(main_, {{"x", vector({1, 2, 3})}}, {y});
  EXPECT_EQ(inspect::caches(executor).plans, 2U);
  EXPECT_GT(inspect::caches(executor).plan_bytes, one.plan_bytes);
}

TEST_F(CacheReportTest, TheEnvironmentSetsWhatItMayKeep) {
  core::set_config_value("PLAN_CACHE", "1");
  core::set_config_value("KERNEL_CACHE", "1");
  const Variable y = relu(relu(data("x", {-1}, kFloat32)));
  Executor executor("cpu", CompileOptions::none(), scope_);
  core::set_config_value("PLAN_CACHE", "");
  core::set_config_value("KERNEL_CACHE", "");
  for (const std::size_t extent : {1U, 2U, 3U}) {
    executor.run(main_, {{"x", vector(std::vector<float>(extent))}}, {y});
    EXPECT_EQ(inspect::caches(executor).plans, 1U);
  }
  EXPECT_EQ(inspect::caches(executor).most_plan_bytes, 1U);
  EXPECT_EQ(inspect::caches(executor).most_kernel_bytes, 1U);
}

}  // namespace
}  // namespace loci::executor
