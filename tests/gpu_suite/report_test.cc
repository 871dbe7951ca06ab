#include "tests/gpu_suite/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci::gpu_suite {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

SuiteReport sample(bool emulated) {
  SuiteReport report{"0.1.0", emulated, false, {{"name", "NVIDIA H200"}}, {}};
  StepResult bench{.name = "bench.matmul", .group = "bench", .outcome = Outcome::kPassed};
  bench.seconds = 1.25;
  bench.counts = {{"rows", 1}};
  bench.rows = {{{"name", "matmul: float32"},
                 {"value", 50.5},
                 {"unit", "TFLOP/s"},
                 {"better", "more"},
                 {"peer", "cuBLASLt called directly"},
                 {"peer_value", 51.5},
                 {"peers", {{"cuBLASLt called directly", 51.5}, {"PyTorch", 49.5}}},
                 {"budget", 48.9},
                 {"met", true}}};
  report.steps = {bench,
                  {.name = "rules.driver",
                   .group = "rules",
                   .outcome = Outcome::kFailed,
                   .message = "called exit(1): it is broken"},
                  {.name = "sanitizer.memcheck",
                   .group = "sanitizer",
                   .outcome = Outcome::kSkipped,
                   .message = "no compute-sanitizer"}};
  return report;
}

TEST(GpuSuiteReportTest, SaysWhatWasMeasuredAndWhatFailed) {
  EXPECT_THAT(sample(false).to_text(),
              AllOf(HasSubstr("Loci 0.1.0 on NVIDIA H200\n"),
                    HasSubstr("50.5 TFLOP/s  cuBLASLt called directly: 51.5  PyTorch: 49.5  "
                              "budget >= 48.9: met"),
                    HasSubstr("failed      0.0 s  rules.driver"), HasSubstr("it is broken"),
                    HasSubstr("1 passed, 1 failed, 1 skipped\n")));
}

TEST(GpuSuiteReportTest, OfTheDoubleItShowsNoFigures) {
  EXPECT_THAT(sample(true).to_text(),
              AllOf(HasSubstr("nothing here was measured on a GPU"), Not(HasSubstr("TFLOP/s"))));
}

TEST(GpuSuiteReportTest, HasTheSameInJson) {
  const auto json = sample(false).to_json();
  EXPECT_EQ(json["emulated"], false);
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["steps"][0]["rows"][0]["value"], 50.5);
  EXPECT_EQ(json["steps"][1]["message"], "called exit(1): it is broken");
  EXPECT_EQ(json["steps"][2]["outcome"], "skipped");
}

}  // namespace
}  // namespace loci::gpu_suite
