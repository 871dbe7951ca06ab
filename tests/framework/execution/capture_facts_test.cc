#include "framework/execution/capture_facts.h"

#include <gtest/gtest.h>

namespace loci::execution {
namespace {

TEST(CaptureFactsTest, CountsReplaysAndExchanges) {
  CaptureFacts facts;
  facts.note_replay({});
  facts.note_replay({2, 0, 0});
  facts.note_replay({0, 3, 1});
  const CaptureFacts::Counts counts = facts.counts();
  EXPECT_EQ(counts.captures, 0U);
  EXPECT_EQ(counts.replays, 3U);
  EXPECT_EQ(counts.exchanges.patches, 2U);
  EXPECT_EQ(counts.exchanges.recaptures, 3U);
  EXPECT_EQ(counts.exchanges.reinstantiations, 1U);
  EXPECT_TRUE(facts.parts().empty());
}

TEST(CaptureFactsTest, TheFirstRunIsTheFirst) {
  CaptureFacts facts;
  EXPECT_TRUE(facts.is_first_run());
  EXPECT_FALSE(facts.is_first_run());
}

}  // namespace
}  // namespace loci::execution
