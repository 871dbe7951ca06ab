// Convolutions by constant filters: what the compiler's presets let the CPU's kernels do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <loci/loci.hpp>
#include <string>
#include <vector>

namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kWinograd = "org.loci.cpu/winograd";

class ConstantConvolutionTest : public ::testing::Test {
 protected:
  ConstantConvolutionTest() {
    const loci::ProgramGuard building(program_, startup_);
    const loci::Variable x = loci::data("x", {-1, 64, 14, 14}, loci::kFloat32);
    const loci::Variable filter =
        loci::create_parameter({64, 64, 3, 3}, loci::kFloat32, loci::initializer::constant(0), "w");
    loci::Conv2dOptions options;
    options.paddings = {1, 1};
    out_ = loci::conv2d(x, filter, options);
    scope_.set("w", loci::randn({64, 64, 3, 3}));
  }

  [[nodiscard]] loci::Feed feed(std::int64_t batch = 2) const {
    return {{"x", images_.at(batch == 2 ? 0 : 1)}};
  }
  auto plan(loci::Executor& executor) const {
    return loci::inspect::plan(executor, program_, feed(), {out_});
  }
  std::vector<float> run(loci::Executor& executor, std::int64_t batch = 2) const {
    return executor.run(program_, feed(batch), {out_})[0].to_vector<float>();
  }
  loci::Executor executor(const loci::CompileOptions& options) {
    return loci::Executor("cpu", options, scope_);
  }

  std::vector<loci::Tensor> images_{loci::randn({2, 64, 14, 14}), loci::randn({5, 64, 14, 14})};
  loci::Program program_;
  loci::Program startup_;
  loci::Scope scope_;
  loci::Variable out_;
};

void expect_close(const std::vector<float>& got, const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  float worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - want[i]));
  EXPECT_GT(worst, 0) << "the same kernel computed both";
  EXPECT_LT(worst, 1e-3F);
}

TEST_F(ConstantConvolutionTest, TheDefaultTakesWinogradsMethodAndExactDoesNot) {
  loci::Executor fast = executor({});
  loci::Executor exact = executor(loci::CompileOptions::exact());
  loci::Executor written = executor(loci::CompileOptions::none());
  EXPECT_EQ(plan(fast).operators[0].kernel, kWinograd);
  EXPECT_NE(plan(exact).operators[0].kernel, kWinograd);
  EXPECT_NE(plan(written).operators[0].kernel, kWinograd);
  EXPECT_EQ(run(exact), run(written));
  expect_close(run(fast), run(written));
}

TEST_F(ConstantConvolutionTest, ThePlanSaysWhatIsPacked) {
  loci::Executor fast = executor({});
  const auto compiled = plan(fast);
  ASSERT_THAT(compiled.packed, SizeIs(1));
  EXPECT_EQ(compiled.packed[0].variable, "w");
  EXPECT_THAT(compiled.packed[0].layout, StartsWith("winograd f32 [64, 64, 3, 3]"));
  EXPECT_THAT(compiled.packed[0].layout, HasSubstr("for tiles of 4 by 4"));
  EXPECT_EQ(compiled.packed[0].bytes, 64U * 64U * 36U * 4U);
}

TEST_F(ConstantConvolutionTest, OtherBatchesAndFiltersTakeItToo) {
  loci::Executor fast = executor({});
  loci::Executor written = executor(loci::CompileOptions::none());
  expect_close(run(fast, 5), run(written, 5));
  scope_.set("w", loci::randn({64, 64, 3, 3}));
  expect_close(run(fast, 5), run(written, 5));
  expect_close(run(fast), run(written));
}

}  // namespace
