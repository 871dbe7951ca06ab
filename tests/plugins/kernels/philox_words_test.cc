#include "plugins/kernels/philox_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/plugins/kernels/each_isa.h"

namespace loci::kernels {
namespace {

void expect_words(const PhiloxStream& stream, std::int64_t first, std::int64_t count) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(4 * count + 1), 7);
  philox_words(stream, first, count, words.data());
  EXPECT_EQ(words.back(), 7U) << "written past the end";
  for (std::int64_t i = 0; i < count; ++i) {
    const auto block = sdk::philox4x32_10(
        sdk::random_counter(static_cast<std::uint64_t>(first + i), stream.run, stream.offset),
        stream.seed);
    ASSERT_TRUE(std::equal(block.begin(), block.end(), words.begin() + 4 * i))
        << "block " << first + i;
  }
}

TEST(PhiloxWordsTest, AreThoseOfTheDefinition) {
  for_each_isa([] {
    for (const std::int64_t count : {0, 1, 11, 12, 13, 100}) {
      expect_words({.seed = 0x0123456789ABCDEF, .run = 3, .offset = 5}, 0, count);
      expect_words({.seed = 0, .run = 0, .offset = 0}, 17, count);
    }
  });
}

TEST(PhiloxWordsTest, CarryIntoTheUpperWords) {
  const PhiloxStream stream{.seed = 42, .run = 0xFFFF'0000'0001, .offset = 0xFFFFFFFF};
  const std::int64_t wrap = std::int64_t{1} << 32;
  for_each_isa([&] {
    for (const std::int64_t before : {1, 6, 12, 13, 30}) expect_words(stream, wrap - before, 40);
    expect_words(stream, 3 * wrap + 8, 24);
  });
}

}  // namespace
}  // namespace loci::kernels
