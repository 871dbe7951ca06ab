#include "framework/execution/scan.h"

#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;
using Values = std::vector<Variable>;
using Step = ScanResult<Variable>;

class ScanRunTest : public executor::ProgramsTest {
 protected:
  Step running_sums(const ScanOptions& options = {}) {
    return scan(
        [](const Values& carry, const Values& xs) {
          const Variable sum = elementwise_add(carry[0], xs[0]);
          return Step{{sum}, {sum, xs[0]}};
        },
        {data("start", {2}, kFloat32)}, {data("xs", {-1, 2}, kFloat32)}, options);
  }
  static Feed feed(std::int64_t steps) {
    std::vector<float> xs(static_cast<std::size_t>(2 * steps), 1.0F);
    return {{"start", vector({0, 10})}, {"xs", Tensor::from(xs, {steps, 2})}};
  }
};

TEST_F(ScanRunTest, EvenAndOddCountsEndInTheSamePlace) {
  const Step sums = running_sums();
  Executor executor("cpu", {}, scope_);
  for (const std::int64_t steps : {0, 1, 2, 3, 10}) {
    const auto result = executor.run(main_, feed(steps), {sums.carry[0], sums.ys[0], sums.ys[1]});
    const auto last = static_cast<float>(steps);
    EXPECT_THAT(result[0].to_vector<float>(), ElementsAre(last, 10 + last));
    EXPECT_EQ(result[1].shape(), (Shape{steps, 2}));
    for (std::int64_t t = 0; t < steps; ++t) {
      EXPECT_EQ(result[1].to_vector<float>()[static_cast<std::size_t>(2 * t)],
                static_cast<float>(t + 1));
    }
    EXPECT_EQ(result[2].to_vector<float>(), feed(steps)[1].second.to_vector<float>());
  }
}

TEST_F(ScanRunTest, ReverseFillsFromTheEnd) {
  const Step sums = running_sums({-1, /*reverse=*/true});
  Executor executor("cpu", {}, scope_);
  const auto result = executor.run(main_, feed(3), {sums.ys[0]});
  EXPECT_THAT(result[0].to_vector<float>(), ElementsAre(3, 13, 2, 12, 1, 11));
}

// One instruction, whose outputs are whole: nothing is put together behind it.
TEST_F(ScanRunTest, HasOneValueForEachStackedOutput) {
  const Step sums = running_sums();
  const auto plan = compile({feed_of("start", {2}), feed_of("xs", {5, 2})},
                            {sums.ys[0].name(), sums.ys[1].name()});
  ASSERT_THAT(plan->instructions, SizeIs(1));
  const LoopStep& step = *plan->instructions[0].loop();
  EXPECT_EQ(step.steps, 5);
  EXPECT_THAT(step.slices, ElementsAre(2 * sizeof(float)));
  EXPECT_THAT(step.parts, ElementsAre(2 * sizeof(float), 2 * sizeof(float)));
  EXPECT_THAT(step.plans(), ElementsAre(step.body.get()));
  EXPECT_EQ(value_of(*plan, step.stacked[0]).bytes, 10 * sizeof(float));
  EXPECT_EQ(value_of(*plan, step.stacked[0]).storage, StorageKind::kFetch);
}

TEST_F(ScanRunTest, ErrorsInsideNameTheScan) {
  const Variable table = data("table", {2, 1}, kFloat32);
  const Step rows = scan(
      [&](const Values&, const Values& xs) {
        return Step{{}, {gather(table, reshape(xs[0], {1}))}};
      },
      {}, {data("rows", {2}, kInt64)});
  Executor executor("cpu", {}, scope_);
  EXPECT_THAT(
      [&] {
        executor.run(main_,
                     {{"table", Tensor::from<float>({1, 2}, {2, 1})},
                      {"rows", Tensor::from<std::int64_t>({1, 5}, {2})}},
                     {rows.ys[0]});
      },
      ThrowsMessage<Error>(HasSubstr("[scan] scan_0 at cpu")));
}

}  // namespace
}  // namespace loci::execution
