#include "framework/capture/range_dependencies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <set>
#include <vector>

namespace loci::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::uint32_t> needs(const planning::Dependencies& all, std::size_t launch) {
  std::vector<std::uint32_t> on;
  for (const planning::Dependency& each : all[launch]) on.push_back(each.on);
  return on;
}

TEST(RangeDependenciesTest, AReaderComesAfterTheWriterAndAWriterAfterBoth) {
  RangeDependencies ranges(5);
  ranges.write(0, 100, 200);
  ranges.read(1, 100, 200);
  ranges.read(2, 100, 200);
  ranges.write(3, 100, 200);
  ranges.read(4, 100, 200);
  const planning::Dependencies found = ranges.take();
  EXPECT_THAT(needs(found, 0), IsEmpty());
  EXPECT_THAT(needs(found, 1), ElementsAre(0));
  EXPECT_THAT(needs(found, 2), ElementsAre(0));
  EXPECT_THAT(needs(found, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(needs(found, 4), ElementsAre(3));
}

TEST(RangeDependenciesTest, OnlyBytesInCommonCount) {
  RangeDependencies ranges(6);
  ranges.write(0, 0, 64);
  ranges.write(1, 64, 128);
  ranges.read(2, 32, 96);
  ranges.write(3, 96, 128);
  ranges.write(4, 40, 48);
  ranges.read(5, 0, 200);
  const planning::Dependencies found = ranges.take();
  EXPECT_THAT(needs(found, 1), IsEmpty()) << "ranges end before the next begins";
  EXPECT_THAT(needs(found, 2), ElementsAre(0, 1));
  EXPECT_THAT(needs(found, 3), ElementsAre(1));
  EXPECT_THAT(needs(found, 4), ElementsAre(0, 2));
  EXPECT_THAT(needs(found, 5), ElementsAre(0, 1, 3, 4));
}

TEST(RangeDependenciesTest, ALaunchDoesNotWaitForItself) {
  RangeDependencies ranges(2);
  ranges.read(0, 0, 8);
  ranges.write(0, 0, 8);
  ranges.read(1, 0, 0);
  ranges.write(1, 4, 8);
  const planning::Dependencies found = ranges.take();
  EXPECT_THAT(needs(found, 0), IsEmpty());
  EXPECT_THAT(needs(found, 1), ElementsAre(0));
}

// Byte for byte by the definition.
TEST(RangeDependenciesTest, RandomRangesAgreeWithEachByteByItself) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 dice(seed);
    constexpr std::uint64_t kBytes = 24;
    constexpr std::uint32_t kLaunches = 40;
    struct Byte {
      int writer = -1;
      std::set<int> readers;
    };
    std::vector<Byte> bytes(kBytes);
    std::vector<std::set<int>> expected(kLaunches);
    RangeDependencies ranges(kLaunches);
    for (std::uint32_t now = 0; now < kLaunches; ++now) {
      for (int access = 0; access < 3; ++access) {
        const std::uint64_t begin = dice() % kBytes;
        const std::uint64_t end = begin + dice() % (kBytes - begin + 1);
        const bool writes = access == 2;
        for (std::uint64_t i = begin; i < end; ++i) {
          if (bytes[i].writer >= 0) expected[now].insert(bytes[i].writer);
          if (writes) {
            expected[now].insert(bytes[i].readers.begin(), bytes[i].readers.end());
            bytes[i] = {static_cast<int>(now), {}};
          } else {
            bytes[i].readers.insert(static_cast<int>(now));
          }
        }
        writes ? ranges.write(now, begin, end) : ranges.read(now, begin, end);
      }
      expected[now].erase(static_cast<int>(now));
    }
    const planning::Dependencies found = ranges.take();
    for (std::uint32_t now = 0; now < kLaunches; ++now) {
      const std::vector<std::uint32_t> on = needs(found, now);
      ASSERT_EQ(std::set<int>(on.begin(), on.end()), expected[now]) << seed << ", " << now;
      ASSERT_EQ(on.size(), expected[now].size()) << "each once";
    }
  }
}

// A weight that all read, and a chain over two buffers.
TEST(RangeDependenciesTest, ManyLaunchesAreQuick) {
  constexpr std::uint32_t kCount = 100'000;
  const auto begun = std::chrono::steady_clock::now();
  RangeDependencies ranges(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const std::uint64_t from = i % 2 * 64;
    ranges.read(i, 1000, 2000);
    ranges.read(i, from, from + 64);
    ranges.write(i, 64 - from, 128 - from);
  }
  const planning::Dependencies found = ranges.take();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
  EXPECT_THAT(needs(found, kCount - 1), ElementsAre(kCount - 3, kCount - 2));
}

}  // namespace
}  // namespace loci::capture
