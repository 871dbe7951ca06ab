// A target that defines LOCI_DISABLE_TIMER.
#include <gtest/gtest.h>

#include <loci/loci.hpp>
#include <string>

namespace loci {
namespace {

static_assert(LOCI_WITH_TIMER == 1, "timers are there for others");

TEST(DisabledTimerTest, MeasuresNothing) {
  {
    LOCI_TIMER("not measured");
    LOCI_TIMER_INFO("not measured", "at all", "nosuch:0");
  }
  EXPECT_EQ(all_status().find("not measured"), std::string::npos);
  EXPECT_FALSE(print_status("not measured"));
}

}  // namespace
}  // namespace loci
