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
using ::testing::IsEmpty;
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

// Convolves by the definition, in double precision: images [n, 64, 14, 14], padded by 1.
std::vector<double> convolved(const loci::Tensor& images, const loci::Tensor& filter) {
  const std::vector<float> x = images.to_vector<float>();
  const std::vector<float> w = filter.to_vector<float>();
  std::vector<double> out(x.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto column = static_cast<int>(i % 14);
    const auto row = static_cast<int>(i / 14 % 14);
    const std::size_t image = i / (64 * 196);
    for (std::size_t tap = 0; tap < 9 * 64; ++tap) {
      const int y = row + static_cast<int>(tap / 3 % 3) - 1;
      const int z = column + static_cast<int>(tap % 3) - 1;
      if (y < 0 || y >= 14 || z < 0 || z >= 14) continue;
      const auto from = (image * 64 + tap / 9) * 196 + static_cast<std::size_t>(y * 14 + z);
      out[i] += static_cast<double>(x[from]) * static_cast<double>(w[i / 196 % 64 * 576 + tap]);
    }
  }
  return out;
}

void expect_close(const std::vector<float>& got, const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(got[i]) - want[i]));
  }
  EXPECT_LT(worst, 1e-3);
}

// Packed once or in each run, the filter is the same. Whether the method pays that packs it in each
// run hangs on the processor.
TEST_F(ConstantConvolutionTest, PacksOnceForWinogradsMethodAndPresetsAgree) {
  loci::Executor fast = executor({});
  loci::Executor exact = executor(loci::CompileOptions::exact());
  loci::Executor written = executor(loci::CompileOptions::none());
  EXPECT_EQ(plan(fast).operators[0].kernel, kWinograd);
  EXPECT_EQ(plan(exact).operators[0].kernel, plan(written).operators[0].kernel);
  EXPECT_THAT(plan(exact).packed, IsEmpty());
  EXPECT_EQ(run(exact), run(written));
  expect_close(run(exact), convolved(images_[0], scope_.find("w")));
  expect_close(run(fast), convolved(images_[0], scope_.find("w")));
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
  for (int filter = 0; filter < 2; ++filter) {
    for (loci::Executor* each : {&fast, &written}) {
      expect_close(run(*each, 5), convolved(images_[1], scope_.find("w")));
      expect_close(run(*each), convolved(images_[0], scope_.find("w")));
    }
    scope_.set("w", loci::randn({64, 64, 3, 3}));
  }
}

}  // namespace
