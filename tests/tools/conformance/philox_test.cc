#include "tools/conformance/philox.h"

#include <gtest/gtest.h>

namespace loci::conformance {
namespace {

// The known answers that the authors publish with Random123.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox4x32_10({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomWords, CountBlocksOffsetsAndRuns) {
  const RandomWords words(0x299f31d0a4093822, 0x0000abcd00000007, 3);
  EXPECT_EQ(words.word(6), philox4x32_10({1, 3, 7, 0xabcd0000}, {0xa4093822, 0x299f31d0})[2]);
}

}  // namespace
}  // namespace loci::conformance
