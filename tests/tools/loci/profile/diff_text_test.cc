#include "tools/loci/profile/diff_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/loci/sample_diff.h"

namespace loci::runner {
namespace {

using profiling::DiffRow;
using profiling::ProfileDiff;
using runner_test::slice_to_crop;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(DiffTextTest, SliceAndCrop) {
  ProfileDiff diff = slice_to_crop();
  diff.b.build = "other";
  EXPECT_EQ(diff_text(diff),
            R"(step: -29.97 % (-300 us), significant
  A: median 1.0009 ms of 10 steps, with 97.9 % confidence from 1.0002 ms to 1.0016 ms
  B: median 700.9 us of 10 steps, with 97.9 % confidence from 700.2 us to 701.6 us
note: the builds differ: 'test' in A, 'other' in B

mean time of a step in the main thread, each row its own part (*: its median changed significantly)
           A            B        change   what
        0 ns       400 us      +400 us*   run/crop_0/compute  (only in B)
      400 us         0 ns      -400 us*   (waiting for a device or a copy)
      300 us         0 ns      -300 us*   run/slice_0/compute  (only in A)
      100 us         0 ns      -100 us*   run
        0 ns       100 us      +100 us*   run/crop_0  (only in B)
      100 us       100 us         0 ns    run/plan
    100.9 us     100.9 us         0 ns    (outside of any span)
   1.0009 ms     700.9 us      -300 us    step

transfers per step
  A calls   B calls      A bytes      B bytes   in the session   what
        2         0           16            0          20 -> 0   all for which the host waits
        0         0            0            0           0 -> 0   all others
        1         0            8            0          10 -> 0   lost: ends, sim:0 -> cpu, prepare_data, host waits
        1         0            8            0          10 -> 0   lost: starts, sim:0 -> cpu, prepare_data, host waits
)");
}

TEST(DiffTextTest, WhatIsLeftOutIsSummed) {
  const std::string text = diff_text(slice_to_crop(), 1);
  EXPECT_THAT(text, HasSubstr("      -700 us    6 smaller changes\n"));
  EXPECT_THAT(text, HasSubstr("  and 1 more\n"));
  EXPECT_THAT(text, Not(HasSubstr("slice_0")));
}

TEST(DiffTextTest, FewStepsAreSaidToBeFew) {
  ProfileDiff diff = slice_to_crop();
  diff.step.significance = profiling::Significance::kUnknown;
  EXPECT_THAT(diff_text(diff), HasSubstr("too few steps to tell from chance"));
}

TEST(DiffTextTest, NamesStayOnTheirLine) {
  ProfileDiff diff;
  diff.rows = {runner_test::row(DiffRow::Kind::kOnlyA, {{LOCI_SPAN_OP, "m", "a\nb"}}, 100, 0)};
  diff.transfers = {runner_test::lost_transfer("x\ny")};
  EXPECT_THAT(diff_text(diff), HasSubstr("a?b  (only in A)\n"));
  EXPECT_THAT(diff_text(diff), HasSubstr("lost: x?y, "));
}

}  // namespace
}  // namespace loci::runner
