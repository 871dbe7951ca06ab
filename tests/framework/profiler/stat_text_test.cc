#include "framework/profiler/stat_text.h"

#include <gtest/gtest.h>

namespace loci::profiler {
namespace {

TEST(StatTextTest, PrintsTheLineOfTheTutorial) {
  EXPECT_EQ(stat_line("testBilinearFwdBwd", {136'141'000, 136'141'000, 136'141'000, 1}),
            "Stat=testBilinearFwdBwd             total=136.141    avg=136.141    max=136.141    "
            "min=136.141    count=1         ");
}

TEST(StatTextTest, RoundsTheMeanDownToMicroseconds) {
  EXPECT_EQ(stat_line("a", {11'999, 9'000, 1'000, 3}),
            "Stat=a                              total=0.011      avg=0.003      max=0.009      "
            "min=0.001      count=3         ");
}

TEST(StatTextTest, HasSixDigits) {
  EXPECT_EQ(stat_line("a", {1'234'567'891'000, 1, 1, 1}).substr(36, 24),
            "total=1.23457e+06 avg=1.");
}

TEST(StatTextTest, ANameMovesNoCursor) {
  EXPECT_EQ(stat_line("a\x1b[2J\n", {1000, 1000, 1000, 1}).substr(0, 20), "Stat=a\\x1b[2J\\x0a   ");
}

TEST(StatTextTest, OrdersByNameBetweenTheRulers) {
  EXPECT_EQ(stat_lines({{"b", {2000, 2000, 2000, 1}}, {"a", {1000, 1000, 1000, 1}}}),
            "======= StatSet: [GlobalStatInfo] status ======\n"
            "Stat=a                              total=0.001      avg=0.001      max=0.001      "
            "min=0.001      count=1         \n"
            "Stat=b                              total=0.002      avg=0.002      max=0.002      "
            "min=0.002      count=1         \n"
            "--------------------------------------------------\n");
}

}  // namespace
}  // namespace loci::profiler
