// That the harness sees a wrong kernel: cases whose references are deliberately not those of their
// ops.
#include "tools/conformance/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/ops.hpp>

namespace loci::conformance {
namespace {

using ::testing::HasSubstr;

// 2 x, and what a kernel's error adds to its first output's element 4.
Case doubled(DType dtype, Real error) {
  return {.op = "scale",
          .inputs = {{dtype, {2, 3}, cycle({1, 2, 3, 4, 5, 6})}},
          .build = [](const Variables& in) { return Variables{scale(in[0], 2)}; },
          .reference =
              [=](const Arrays& in) {
                Expected out = Expected::bounded(dtype, in[0].shape);
                for (std::size_t i = 0; i < 6; ++i) out.values[i] = 2 * in[0].values[i];
                out.values[4] -= error;
                return std::vector{out};
              },
          .differentiate = {0},
          .family = "control"};
}

TEST(RunCase, PassesWhereTheReferenceAgrees) {
  const CaseResult result = run_case(doubled(kFloat32, 0), "cpu");
  EXPECT_EQ(result.outcome, Outcome::kPassed) << result.message;
  EXPECT_EQ(result.kernels.size(), 1U);
}

TEST(RunCase, ReportsAWrongElementWithOpDtypeShapeAndBound) {
  const CaseResult result = run_case(doubled(kFloat32, 1e-5L), "cpu");
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(result.name, "control/scale/float32/[2, 3]");
  EXPECT_THAT(result.message,
              HasSubstr("output 0: float32[2, 3] element 4 at [1, 1]: got 10, want 9.99999"));
  EXPECT_THAT(result.message, HasSubstr("bound"));
  EXPECT_THAT(result.message, HasSubstr("1 of 6 elements are wrong"));
  EXPECT_GT(result.worst, 1);
}

TEST(RunCase, SeesAnErrorOfOneUnitInTheLastPlaceOfHalfPrecision) {
  EXPECT_EQ(run_case(doubled(kFloat16, 0x1p-7L), "cpu").outcome, Outcome::kFailed);
  EXPECT_EQ(run_case(doubled(kBFloat16, 0x1p-4L), "cpu").outcome, Outcome::kFailed);
}

// The values agree at the whole numbers of the input, the derivative does not.
TEST(RunCase, ReportsAWrongGradient) {
  Case subject = doubled(kFloat64, 0);
  subject.reference = [inner = subject.reference](const Arrays& in) {
    std::vector<Expected> out = inner(in);
    for (std::size_t i = 0; i < 6; ++i) {
      const Real x = in[0].values[i];
      out[0].values[i] += 1e-6L * (x - 1) * (x - 2) * (x - 3) * (x - 4) * (x - 5) * (x - 6);
    }
    return out;
  };
  const CaseResult result = run_case(subject, "cpu");
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_THAT(result.message,
              HasSubstr("the gradient of input 0, float64[2, 3], element 0 at [0, 0]"));
}

TEST(RunCase, ReportsAMissingOutput) {
  Case subject = doubled(kFloat32, 0);
  subject.build = [](const Variables&) { return Variables{}; };
  EXPECT_THAT(run_case(subject, "cpu").message, HasSubstr("got 0 outputs, want 1"));
}

TEST(RunCase, WhatIsThrownIsAFailure) {
  Case subject = doubled(kFloat32, 0);
  subject.build = [](const Variables& in) { return Variables{reshape(in[0], {7})}; };
  const CaseResult result = run_case(subject, "cpu");
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_THAT(result.message, HasSubstr("[reshape]"));
}

TEST(RunSuite, RefusesAPlaceThatIsNotThere) {
  try {
    (void)run_suite(Suite(), "nowhere");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("nowhere"));
  }
}

TEST(RunSuite, ShowsEveryResult) {
  Suite suite;
  suite.begin_family("control");
  suite.add(doubled(kFloat32, 0));
  suite.add(doubled(kFloat64, 1));
  std::size_t seen = 0;
  const Report report = run_suite(suite, "cpu", [&](const CaseResult&) { ++seen; });
  EXPECT_EQ(seen, 2U);
  EXPECT_EQ(report.total().passed, 1U);
  EXPECT_EQ(report.total().failed, 1U);
}

}  // namespace
}  // namespace loci::conformance
