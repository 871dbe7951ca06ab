#include "framework/planning/memory_assignment.h"

#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

class MemoryAssignmentTest : public executor::ProgramsTest {
 protected:
  static constexpr std::int64_t kCount = 1024;
  static constexpr std::uint64_t kBytes = kCount * sizeof(float);

  Variable x() { return data("x", {kCount}, kFloat32); }
  // Each operator has a result of its own.
  std::uint64_t arena_bytes(const Variable& fetched, CompileOptions options = CompileOptions()) {
    options.disabled_passes = {"elementwise_fusion"};
    const auto plan = compile({feed_of("x", {kCount})}, {fetched.name()}, "cpu", options);
    return plan->arenas.empty() ? 0 : plan->arenas[0].bytes;
  }
};

TEST_F(MemoryAssignmentTest, AChainRunsInPlace) {
  Variable y = x();
  for (int i = 0; i < 10; ++i) y = relu(y);
  EXPECT_EQ(arena_bytes(y), kBytes);
}

TEST_F(MemoryAssignmentTest, WithoutReuseEveryValueHasItsOwn) {
  Variable y = x();
  for (int i = 0; i < 10; ++i) y = relu(y);
  EXPECT_EQ(arena_bytes(y, CompileOptions::none()), 9 * kBytes);
}

TEST_F(MemoryAssignmentTest, AValueThatIsReadLaterIsNotOverwritten) {
  const Variable a = scale(x(), 2.0);
  const Variable b = relu(a);
  const Variable c = elementwise_add(a, b);
  EXPECT_GE(arena_bytes(c), 2 * kBytes);
  std::vector<float> values(kCount, -1.0F);
  const auto fetched = Executor("cpu", {}, scope_).run(main_, {{"x", vector(values)}}, {c});
  EXPECT_EQ(fetched[0].to_vector<float>(), std::vector<float>(kCount, -2.0F));
}

TEST_F(MemoryAssignmentTest, AFetchedValueIsNotInTheArena) {
  const Variable y = relu(x());
  EXPECT_EQ(arena_bytes(y), 0U);
}

}  // namespace
}  // namespace loci::planning
