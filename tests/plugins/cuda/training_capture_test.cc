// Training whose steps are captured learns what it learns plainly, to the bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "examples/graph_capture/training.h"
#include "tests/plugins/cuda/double_questions.h"
#include "tests/plugins/cuda/small_training.h"

namespace loci::test {
namespace {

constexpr int kSteps = 6;

class CudaTrainingCaptureTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { use_two_devices(); }
  // Why it cannot train them without the CPU; empty if it can.
  static std::string lacks_kernels(const digits::Split& data) {
    try {
      training::imperative(data, "cuda:0", training::Steps::kPlain, 1);
      return {};
    } catch (const Error& error) {
      const std::string text = error.what();
      if (text.find("has no kernel at cuda:0") == std::string::npos) throw;
      return text;
    }
  }

 private:
  const FallbackGuard on_the_device_{FallbackPolicy::kError};
};

TEST_F(CudaTrainingCaptureTest, AProgramThatCapturesItselfGivesTheSameBits) {
  const unsigned found = finding_count();
  const SmallTraining model;
  CompileOptions plain;
  plain.fallback = FallbackPolicy::kError;
  CompileOptions captured = plain;
  captured.capture = GraphCapture::kAuto;
  const auto expected = model.run("cuda:0", plain, kSteps);
  EXPECT_LT(expected.values[kSteps - 1], expected.values[0]) << "it learns";
  EXPECT_EQ(expected.replays, 0U);
  for (const char* place : {"cuda:0", "cuda:1"}) {
    const auto trained = model.run(place, captured, kSteps);
    EXPECT_EQ(trained.values, expected.values);
    EXPECT_GT(trained.replays, 0U);
  }
  EXPECT_EQ(findings_since(found), "");
}

// The example of captured graphs trains so, step by step and as a program.
TEST_F(CudaTrainingCaptureTest, DigitsGiveTheSameBits) {
  const digits::Split data = digits::load(source_path("examples/digits/data")).train;
  if (const std::string why = lacks_kernels(data); !why.empty()) GTEST_SKIP() << why;
  const unsigned found = finding_count();
  constexpr int kDigitsSteps = 4;
  using training::Steps;
  for (const auto& train : {&training::imperative, &training::of_program}) {
    const auto plain = train(data, "cuda:0", Steps::kPlain, kDigitsSteps);
    const auto captured = train(data, "cuda:0", Steps::kCaptured, kDigitsSteps);
    EXPECT_EQ(captured.losses, plain.losses);
    EXPECT_LT(plain.losses.back(), plain.losses.front()) << "it learns";
  }
  EXPECT_EQ(findings_since(found), "");
}

}  // namespace
}  // namespace loci::test
