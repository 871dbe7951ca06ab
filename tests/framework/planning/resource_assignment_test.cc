#include "framework/planning/resource_assignment.h"

#include "tests/framework/executor/sim_fixture.h"

namespace loci::planning {
namespace {

using execution::Arena;
using execution::Plan;
using execution::ValueId;

class ResourceAssignmentTest : public executor::SimProgramsTest {
 protected:
  // Two chains and their sum.
  std::shared_ptr<const Plan> compile_branches(std::int64_t elements, int branches, int streams) {
    const Variable x = data("x", {elements}, kFloat32);
    Variable sum;
    for (int i = 0; i < branches; ++i) {
      const Variable branch = reduce_sum(square(relu(scale(x, 2.0))), {0}, /*keep_dim=*/true);
      sum = i == 0 ? branch : elementwise_add(sum, branch);
    }
    CompileOptions options = CompileOptions::none();
    options.reuse_memory = true;
    options.streams = streams;
    return compile({feed_of("x", {elements})}, {sum.name()}, "sim:0", options);
  }
  static std::uint64_t arena_bytes(const Plan& plan) {
    std::uint64_t bytes = 0;
    for (const Arena& arena : plan.arenas) bytes += arena.bytes;
    return bytes;
  }
};

TEST_F(ResourceAssignmentTest, BranchesThatMayMeetShareNoMemory) {
  const auto plan = compile_branches(1024, 2, 4);
  ASSERT_NE(plan->schedule, nullptr);
  const auto offset_of = [&](const std::string& name) {
    const ValueId out = plan->instructions[index_of(*plan, name)].outputs[0];
    return plan->values[static_cast<std::size_t>(out)].offset;
  };
  EXPECT_EQ(offset_of("scale_0"), offset_of("relu_0")) << "in place";
  EXPECT_NE(offset_of("relu_0"), offset_of("relu_1"));
  EXPECT_NE(offset_of("scale_0"), offset_of("scale_1"));
}

TEST_F(ResourceAssignmentTest, OneStreamSharesMore) {
  const auto apart = compile_branches(1024, 4, 1);
  EXPECT_EQ(apart->schedule, nullptr);
  EXPECT_LT(arena_bytes(*apart), 3 * 1024 * sizeof(float));
}

TEST_F(ResourceAssignmentTest, StreamsThatTakeMuchMoreMemoryAreGivenUp) {
  // Four branches of 128 MiB that could share one buffer.
  const auto plan = compile_branches(32 << 20, 4, 4);
  EXPECT_EQ(plan->schedule, nullptr);
  EXPECT_LT(arena_bytes(*plan), std::uint64_t{300} << 20);
}

}  // namespace
}  // namespace loci::planning
