#include "plugins/sim/copy_work.h"

#include <array>

#include "tests/plugins/sim/sim_rig.h"

namespace loci::sim {
namespace {

using ::testing::ElementsAre;

const TimeModel kNoModel{Settings()};

loci_copy pitched(const void* source, std::uint64_t source_pitch, void* target,
                  std::uint64_t target_pitch, std::uint64_t row_bytes, std::uint64_t rows) {
  loci_copy copy = flat_copy(LOCI_END_DEVICE, source, LOCI_END_DEVICE, target, row_bytes);
  copy.rows = rows;
  copy.source_pitch = source_pitch;
  copy.target_pitch = target_pitch;
  return copy;
}

TEST(CopyWorkTest, SpansReachToTheEndOfTheLastRow) {
  const loci_copy copy = pitched(nullptr, 10, nullptr, 7, 4, 3);
  EXPECT_EQ(source_span(copy), 24U);
  EXPECT_EQ(target_span(copy), 18U);
  EXPECT_EQ(source_span(pitched(nullptr, 1 << 20, nullptr, 0, 4, 1)), 4U);
  EXPECT_EQ(source_span(pitched(nullptr, 10, nullptr, 7, 4, 0)), 0U);
  EXPECT_EQ(target_span(pitched(nullptr, 10, nullptr, 7, 0, 3)), 0U);
}

TEST(CopyWorkTest, CopiesRowsAndCountsTheirBytes) {
  const std::array<char, 9> source = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::array<char, 4> target{};
  Counters counters;
  CopyWork work(pitched(source.data(), 5, target.data(), 2, 2, 2), Route::kLocal, kNoModel,
                counters);
  work.run();
  EXPECT_THAT(target, ElementsAre(1, 2, 6, 7));
  EXPECT_EQ(counters.local_bytes, 4U);
  EXPECT_EQ(counters.copies, 1U);
  EXPECT_EQ(work.name(), "copy of 4 bytes within the device");
  EXPECT_FALSE(work.is_control());
}

TEST(CopyWorkTest, EachRouteHasACounterAndATime) {
  Settings settings;
  settings.h2d_gbps = 1;
  settings.d2h_gbps = 2;
  settings.peer_gbps = 4;
  const TimeModel time(settings);
  Counters counters;
  std::array<char, 8> source{};
  std::array<char, 8> target{};
  const auto ns_of = [&](Route route) {
    CopyWork work(flat_copy(0, source.data(), 0, target.data(), 8), route, time, counters);
    work.run();
    return work.duration().count();
  };
  EXPECT_EQ(ns_of(Route::kToDevice), 8);
  EXPECT_EQ(ns_of(Route::kToHost), 4);
  EXPECT_EQ(ns_of(Route::kPeer), 2);
  EXPECT_EQ(counters.h2d_bytes, 8U);
  EXPECT_EQ(counters.d2h_bytes, 8U);
  EXPECT_EQ(counters.peer_bytes, 8U);
  EXPECT_EQ(counters.local_bytes, 0U);
}

TEST(FillWorkTest, RepeatsThePatternAndCutsTheLast) {
  std::array<std::byte, 8> target{};
  std::uint16_t pattern = 0x0201;
  Counters counters;
  FillWork work(target.data(), 5, &pattern, 2, kNoModel, counters, 9);
  pattern = 0;  // borrowed for the call only
  work.run();
  EXPECT_THAT(target, ElementsAre(std::byte{1}, std::byte{2}, std::byte{1}, std::byte{2},
                                  std::byte{1}, std::byte{0}, std::byte{0}, std::byte{0}));
  EXPECT_EQ(counters.fill_bytes, 5U);
  EXPECT_EQ(work.name(), "fill of 5 bytes");
}

}  // namespace
}  // namespace loci::sim
