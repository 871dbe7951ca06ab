#include "framework/memory/device_memory.h"

#include <gtest/gtest.h>

#include <memory>

#include "framework/device/stream.h"
#include "framework/memory/device_source.h"
#include "tests/support/fake_device.h"

namespace loci::memory {
namespace {

constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20;

// How often a stream waits where a block changes from one that has ended to the default one.
std::uint64_t waits_after_end(bool is_told) {
  test::FakeBackend fake;
  device::Device device(fake.backend(), Place("fake"));
  DeviceMemory& all = memory_of(device);
  CachingAllocator pool(std::make_unique<DeviceSource>(device), device.default_stream());
  all.add(pool);
  if (!is_told) all.remove(pool);
  device::Stream stream(device);
  (void)pool.allocate(kBlockBytes, stream.handle(), "block");
  stream.synchronize();
  device.end_stream(stream.handle());
  (void)pool.allocate(kBlockBytes, nullptr, "block again");
  const std::uint64_t waits = fake.counters().event_waits;
  if (is_told) all.remove(pool);
  return waits;
}

TEST(DeviceMemoryTest, TellsItsPoolsOfStreamsThatEnd) {
  EXPECT_EQ(waits_after_end(/*is_told=*/true), 0U);
  EXPECT_EQ(waits_after_end(/*is_told=*/false), 1U);
}

TEST(DeviceMemoryTest, ThereIsOneForADevice) {
  test::FakeBackend fake;
  device::Device device(fake.backend(), Place("fake"));
  EXPECT_EQ(&memory_of(device), &memory_of(device));
  EXPECT_EQ(&memory_of(device).allocator(), &device_allocator(device));
}

}  // namespace
}  // namespace loci::memory
