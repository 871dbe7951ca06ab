#include "framework/device/device_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/device/device.h"
#include "tests/support/fake_device.h"

namespace loci::device {
namespace {

using test::FakeBackend;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(DeviceInfoTest, IsWhatTheBackendSays) {
  FakeBackend fake({.type = "sim", .memory = 4096, .min_chunk = 0});
  const DeviceInfo info = read_device_info(fake.backend(), Place("sim:1"));
  EXPECT_EQ(info.name, "sim");
  EXPECT_EQ(info.total_memory, 4096U);
  EXPECT_EQ(info.min_chunk, 1U);
}

TEST(DeviceInfoTest, AnErrorOfTheBackendNamesThePlace) {
  FakeBackend fake;
  fake.fail_next("describe", ErrorCode::kUnavailable, "no answer");
  EXPECT_THAT([&] { (void)read_device_info(fake.backend(), Place("fake:0")); },
              ThrowsMessage<Error>(HasSubstr("[device] fake:0: describing it: no answer")));
}

TEST(DeviceInfoTest, RefusesARangeOfPrioritiesWithoutZero) {
  for (const auto& [least, greatest] : {std::pair{-1, -2}, std::pair{2, 1}}) {
    FakeBackend fake({.least_priority = least, .greatest_priority = greatest});
    EXPECT_THAT([&] { const Device device(fake.backend(), Place("fake")); },
                ThrowsMessage<Error>(HasSubstr("0 has to be one of them")));
  }
}

TEST(DeviceInfoTest, ReadsNoTextOfAWildLength) {
  FakeBackend fake;
  fake.backend().api.describe = [](loci_plugin*, std::uint32_t,
                                   loci_device_info* info) -> loci_error* {
    info->name = {"x", std::uint64_t{1} << 40};
    return nullptr;
  };
  EXPECT_THAT([&] { const Device device(fake.backend(), Place("fake:0")); },
              ThrowsMessage<Error>(AllOf(HasSubstr(fake.backend().plugin->id()),
                                         HasSubstr("its describe's name states a length"))));
}

TEST(DeviceInfoTest, RefusesAnAlignmentThatBlocksCannotKeep) {
  FakeBackend fake({.alignment = 48});
  EXPECT_THAT([&] { const Device device(fake.backend(), Place("fake")); },
              ThrowsMessage<Error>(HasSubstr("48 bytes")));
}

}  // namespace
}  // namespace loci::device
