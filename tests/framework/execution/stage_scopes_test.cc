#include "framework/execution/stage_scopes.h"

#include "framework/profiler/parts.h"
#include "tests/framework/executor/sim_fixture.h"
#include "tests/support/recorded_paths.h"

namespace loci::execution {
namespace {

using profiler::Level;
using test::RecordedPaths;

class StageScopesTest : public executor::SimProgramsTest {
 protected:
  // Returns the paths of a run at a device, after another one.
  RecordedPaths paths(Level level, const std::vector<Fetch>& fetch,
                      const CompileOptions& options = CompileOptions::none()) {
    Executor executor("sim:0", options, scope_);
    executor.run(main_, {}, fetch);
    return test::record_paths(level, [&] { executor.run(main_, {}, fetch); });
  }
  // Cropped to extents that a device computes.
  static Variable cropped(std::int64_t extent) {
    const Variable like = fill_constant({1, 3, extent, extent}, 0.5);
    return crop_tensor(fill_constant({1, 3, 8, 8}, 0.5), slice(shape(like), {0}, {0}, {4}));
  }
};

TEST_F(StageScopesTest, AHostReadIsItsConsumers) {
  const RecordedPaths found = paths(Level::kOp, {cropped(5)});
  EXPECT_EQ(found.count("run/crop_tensor"), 1) << "the read and the launch are one call";
  EXPECT_EQ(found.count("run/crop_tensor/copy:host_read"), 1);
  EXPECT_EQ(found.count("run/crop_tensor/synchronize"), 1) << "what comes before is waited for";
  EXPECT_NE(found.label("run/crop_tensor").kernel, "") << "the rest says what it is";
  EXPECT_EQ(found.count("run/init_variables"), 1) << "the rest binds within its operator";
}

TEST_F(StageScopesTest, InferenceAtRunTimeIsAPhase) {
  const RecordedPaths found = paths(Level::kDetail, {cropped(5)});
  EXPECT_EQ(found.count("run/crop_tensor"), 1);
  EXPECT_EQ(found.count("run/crop_tensor/compute/copy:host_read"), 1);
  EXPECT_EQ(found.count("run/crop_tensor/infer_shape"), 1);
  EXPECT_EQ(found.count("run/slice/infer_shape"), 0) << "its extents are known before";
}

TEST_F(StageScopesTest, TheHostNeedsNoCopyToInfer) {
  const Variable out = cropped(5);
  Executor executor("cpu", CompileOptions::none(), scope_);
  executor.run(main_, {}, {out});
  const RecordedPaths found =
      test::record_paths(Level::kDetail, [&] { executor.run(main_, {}, {out}); });
  EXPECT_EQ(found.count("run/crop_tensor"), 1);
  EXPECT_EQ(found.count("run/crop_tensor/infer_shape"), 1);
  EXPECT_EQ(found.count("run/crop_tensor/compute"), 1);
}

TEST_F(StageScopesTest, APredicateIsReadByItsBranches) {
  const Variable on = less_than(fill_constant({1}, 1), fill_constant({1}, 2));
  const Variable y = cond(
      on, [] { return relu(fill_constant({2}, 1)); }, [] { return fill_constant({2}, 2); });
  const RecordedPaths found = paths(Level::kOp, {y});
  EXPECT_EQ(found.count("run/conditional_block"), 1);
  EXPECT_EQ(found.count("run/conditional_block/copy:host_read"), 1);
  EXPECT_EQ(found.count("run/conditional_block/relu"), 1);
}

TEST_F(StageScopesTest, ReadsOfSeveralAreEachOnesOwn) {
  const Variable one = cropped(5);
  const Variable two = cropped(6);
  const RecordedPaths found = paths(Level::kOp, {one, two});
  EXPECT_EQ(found.count("run/crop_tensor/copy:host_read"), 2);
  EXPECT_EQ(found.label("run/crop_tensor").instance, "crop_tensor_1");
}

TEST_F(StageScopesTest, ScheduledReadsAreTheirConsumersToo) {
  const RecordedPaths found = paths(Level::kOp, {cropped(5)}, with_streams(2));
  EXPECT_EQ(found.count("run/crop_tensor/copy:host_read"), 1);
}

TEST_F(StageScopesTest, WhatAnotherStageOpenedIsClosed) {
  StageScopes scopes;
  EXPECT_FALSE(scopes.continues("")) << "nothing is recorded";
  const RecordedPaths found = test::record_paths(Level::kOp, [&] {
    EXPECT_FALSE(scopes.continues("relu_0"));
    scopes.open().push(label_of(profiler::Part::kFeed), 0);
    EXPECT_FALSE(scopes.continues("relu_0"));
    EXPECT_TRUE(scopes.open().is_empty());
  });
  EXPECT_EQ(found.count("feed"), 1);
}

}  // namespace
}  // namespace loci::execution
