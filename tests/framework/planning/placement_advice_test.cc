#include "framework/planning/placement_advice.h"

#include <fmt/format.h>

#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::Space;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::uint64_t kMiB = 1024 * 1024;

class PlacementAdviceTest : public executor::ProgramsTest {
 protected:
  Variable table(const std::string& name, std::int64_t mebibytes) {
    return create_parameter({mebibytes, kMiB / 4}, kFloat32, initializer::constant(1.0), name);
  }

  // For the startup program at toy:0, with that many MiB there and here.
  std::string advice(std::uint64_t at_toy, std::uint64_t at_cpu) {
    PlanRequest request;
    request.program = startup_.impl();
    request.device = &device_at("toy:0");
    request.scope = scope_.impl().get();
    return placement_that_fits(request, &kernels_, [=](Space space) {
      return (space == nullptr ? at_cpu : at_toy) * kMiB;
    });
  }
};

TEST_F(PlacementAdviceTest, NothingIsSaidWhereEverythingFits) {
  table("w", 10);
  EXPECT_EQ(advice(100, 100), "");
}

TEST_F(PlacementAdviceTest, NamesTheTableAndWhatEachPlaceThenNeeds) {
  table("large", 60);
  table("small", 6);
  EXPECT_EQ(advice(40, 100),
            "a placement that fits: 'large' (60.00 MiB) on the CPU, with the operators that use it "
            "under DeviceGuard(\"cpu\"); by a dry run this program then needs 60.00 MiB of 100.00 "
            "MiB at cpu, 6.00 MiB of 40.00 MiB at toy:0");
}

TEST_F(PlacementAdviceTest, MovesNoMoreThanItMust) {
  for (int i = 0; i < 6; ++i) table(fmt::format("w{}", i), 10 + i);
  EXPECT_THAT(advice(70, 100),
              AllOf(HasSubstr("'w5' (15.00 MiB) on the CPU"), Not(HasSubstr("'w4'"))));
  EXPECT_THAT(advice(50, 100), AllOf(HasSubstr("'w5' (15.00 MiB), 'w4' (14.00 MiB) on the CPU"),
                                     HasSubstr("use them"), Not(HasSubstr("'w3'"))));
  EXPECT_THAT(advice(0, 100), HasSubstr("'w0'"));
}

TEST_F(PlacementAdviceTest, WhatTheScopeHoldsAlreadyCountsAsThere) {
  table("w", 30);
  scope_.set("w", Tensor::empty({30, kMiB / 4}, kFloat32, "toy:0"));
  EXPECT_EQ(advice(2, 100), "");
}

TEST_F(PlacementAdviceTest, NothingMovesToAHostThatIsFullAsWell) {
  table("w", 60);
  EXPECT_EQ(advice(40, 50),
            "no placement fits: neither variables nor all of the program on the CPU");
}

// The gradient of a table on the CPU is made there too, though it does not read the table.
TEST_F(PlacementAdviceTest, GradientsMoveWithTheTable) {
  const Variable w = table("w", 60);
  relu(w);  // at toy:0, and so w as well
  const Variable gradient = scale(fill_constant({60, kMiB / 4}, 1.0), 2.0);
  sgd(w, gradient, fill_constant({1}, 0.5));
  main_.impl()->main().ops.back().role = program::Role::kUpdate;
  scope_.set("w", Tensor::empty({60, kMiB / 4}, kFloat32));
  PlanRequest request;
  request.program = main_.impl();
  request.device = &device_at("toy:0");
  request.options = CompileOptions::none();
  request.scope = scope_.impl().get();
  const std::string text = placement_that_fits(
      request, &kernels_, [](Space space) { return (space == nullptr ? 1000 : 100) * kMiB; });
  EXPECT_THAT(text, StartsWith("a placement that fits: 'w' (60.00 MiB) on the CPU"));
}

// Intermediate results alone are too much.
TEST_F(PlacementAdviceTest, ElseAllOfTheProgram) {
  const Variable y = relu(data("x", {60, kMiB / 4}, kFloat32));
  PlanRequest request;
  request.program = main_.impl();
  request.feeds = {feed_of("x", {60, kMiB / 4})};
  request.fetches = {y.name()};
  request.device = &device_at("toy:0");
  request.scope = scope_.impl().get();
  const std::string text = placement_that_fits(
      request, &kernels_, [](Space space) { return (space == nullptr ? 1000 : 10) * kMiB; });
  EXPECT_THAT(text, StartsWith("a placement that fits: all of the program on the CPU"));
}

TEST_F(PlacementAdviceTest, DevicesTellWhatTheyHave) {
  EXPECT_GT(available_bytes(nullptr), 0U);
  EXPECT_GT(available_bytes(&device_at("toy:0")), 512 * kMiB);
}

}  // namespace
}  // namespace loci::planning
