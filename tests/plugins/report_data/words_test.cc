#include "plugins/report_data/words.h"

#include <gtest/gtest.h>

namespace loci::report {
namespace {

TEST(WordsTest, EachNumberHasItsWord) {
  EXPECT_EQ(span_kind_word(LOCI_SPAN_OP), "op");
  EXPECT_EQ(span_kind_word(LOCI_SPAN_CALL), "call");
  EXPECT_EQ(device_work_word(LOCI_DEVICE_WORK_FILL), "fill");
  EXPECT_EQ(direction_word(LOCI_COPY_PEER), "peer");
  EXPECT_EQ(gap_cause_word(LOCI_GAP_WAITS_FOR_DEVICE), "waits_for_device");
  EXPECT_EQ(level_word(LOCI_PROFILE_LEVEL_DETAIL), "detail");
}

TEST(WordsTest, NumbersOfNewerHostsAreOther) {
  EXPECT_EQ(span_kind_word(LOCI_SPAN_KIND_COUNT), "other");
  EXPECT_EQ(device_work_word(3), "other");
  EXPECT_EQ(direction_word(UINT32_MAX), "other");
}

}  // namespace
}  // namespace loci::report
