#include "framework/execution/scope_binding.h"

#include <loci/transfer_policy.hpp>

#include "framework/execution/frame.h"
#include "framework/transfer/transfer.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ScopeBindingTest : public executor::ProgramsTest {
 protected:
  ScopeBindingTest() { scope_.set("w", vector({1, 2})); }

  Variable weight() { return create_parameter({2}, kFloat32, initializer::constant(1), "w"); }
  static std::size_t rows_of(const char* variable) {
    std::size_t count = 0;
    for (const transfer::Row& row : transfer::rows()) {
      count += std::string_view(row.labels.variable) == variable ? 1 : 0;
    }
    return count;
  }
};

TEST_F(ScopeBindingTest, BindsTheScopeAgainOnlyWhenItChanged) {
  const Variable y = relu(weight());
  const auto plan = compile({}, {y.name()});
  const auto frame = plan->acquire_frame();
  ASSERT_TRUE(frame->bind_scope(*scope_.impl()));
  const ValueId value = plan->persistables[0].value;
  EXPECT_EQ(frame->data(value), scope_.find("w").raw_data());
  scope_.erase("w");
  scope_.set("w", vector({3, 4}));
  ASSERT_TRUE(frame->bind_scope(*scope_.impl()));
  EXPECT_EQ(frame->data(value), scope_.find("w").raw_data());
}

// The parameter is read at two places of one program.
TEST_F(ScopeBindingTest, AConstantHasAReplicaWhereItIsRead) {
  const Variable w = weight();
  const Variable here = w * 2.0F;
  Variable there;
  {
    const DeviceGuard guard("toy:0");
    there = relu(w);
  }
  Executor executor("cpu", {}, scope_);
  const auto run = [&] { return executor.run(main_, {}, {here, there}); };
  const inspect::Plan plan = inspect::plan(executor, main_, {}, {here, there});
  ASSERT_THAT(plan.replicated, SizeIs(1));
  EXPECT_EQ(plan.replicated[0].variable, "w");
  EXPECT_EQ(plan.replicated[0].place, "toy:0");
  EXPECT_EQ(plan.replicated[0].bytes, 8U);
  EXPECT_THAT(plan.transfers, IsEmpty());
  transfer::clear_rows();
  for (int i = 0; i < 3; ++i) EXPECT_THAT(run()[1].to_vector<float>(), ElementsAre(1, 2));
  EXPECT_EQ(rows_of("w"), 1U);
  scope_.set("w", vector({3, 4}));
  for (int i = 0; i < 3; ++i) {
    const std::vector<Tensor> results = run();
    EXPECT_THAT(results[0].to_vector<float>(), ElementsAre(6, 8));
    EXPECT_THAT(results[1].to_vector<float>(), ElementsAre(3, 4));
  }
  EXPECT_EQ(rows_of("w"), 2U);
}

TEST_F(ScopeBindingTest, AsWrittenEveryRunCopies) {
  const Variable w = weight();
  const Variable here = w * 2.0F;
  Variable there;
  {
    const DeviceGuard guard("toy:0");
    there = relu(w);
  }
  Executor executor("cpu", CompileOptions::none(), scope_);
  EXPECT_THAT(inspect::plan(executor, main_, {}, {here, there}).replicated, IsEmpty());
  transfer::clear_rows();
  for (int i = 0; i < 3; ++i) executor.run(main_, {}, {here, there});
  EXPECT_EQ(rows_of("w"), 3U);
}

// Two executors of different places, with one scope: the first that moved it keeps it.
TEST_F(ScopeBindingTest, ProgramsThatOnlyReadDoNotPullAVariableToAndFro) {
  const Variable y = relu(weight());
  Executor device("toy:0", {}, scope_);
  Executor host("cpu", {}, scope_);
  transfer::clear_rows();
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(device.run(main_, {}, {y})[0].to_vector<float>(), ElementsAre(1, 2));
    EXPECT_THAT(host.run(main_, {}, {y})[0].to_vector<float>(), ElementsAre(1, 2));
  }
  EXPECT_EQ(rows_of("w"), 2U);
  EXPECT_EQ(scope_.find("w").place(), Place("toy:0"));
  scope_.set("w", vector({5, 6}));
  EXPECT_THAT(host.run(main_, {}, {y})[0].to_vector<float>(), ElementsAre(5, 6));
  EXPECT_THAT(device.run(main_, {}, {y})[0].to_vector<float>(), ElementsAre(5, 6));
}

}  // namespace
}  // namespace loci::execution
