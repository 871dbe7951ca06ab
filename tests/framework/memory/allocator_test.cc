#include "framework/memory/allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

#include "framework/device/stream.h"
#include "tests/support/fake_device.h"

namespace loci::memory {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(BufferTest, MovingHandsTheBlockOver) {
  const std::uint64_t before = host_allocator().stats().in_use;
  Buffer first = host_allocator().allocate(256, nullptr, "first");
  void* data = first.data();
  Buffer second(std::move(first));
  EXPECT_EQ(second.data(), data);
  Buffer third = host_allocator().allocate(256, nullptr, "third");
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(third.bytes(), 256U);
  EXPECT_EQ(host_allocator().stats().in_use, before + 256);
  third.reset();
  EXPECT_EQ(third.data(), nullptr);
  EXPECT_EQ(host_allocator().stats().in_use, before);
}

TEST(AllocatorTest, HostMemoryNeedsNoDevice) {
  EXPECT_EQ(&allocator_of(Place("cpu")), &host_allocator());
  EXPECT_THAT([] { (void)allocator_of(Place("nosuch:0")); },
              ThrowsMessage<Error>(HasSubstr("no device 'nosuch:0'")));
}

TEST(AllocatorTest, DeviceThatUsesHostMemoryHasTheHostsAllocator) {
  test::FakeBackend fake({.flags = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY});
  device::Device device(fake.backend(), Place("fake"));
  EXPECT_EQ(&device_allocator(device), &host_allocator());
}

TEST(AllocatorTest, EachDeviceHasOneAllocator) {
  test::FakeBackend fake;
  {
    device::Device first(fake.backend(), Place("fake:0"));
    device::Device second(fake.backend(), Place("fake:1"));
    EXPECT_EQ(&device_allocator(first), &device_allocator(first));
    EXPECT_NE(&device_allocator(first), &device_allocator(second));
    const Buffer buffer = device_allocator(first).allocate(100, nullptr, "x");
    EXPECT_EQ(fake.counters().live_allocations, 1);
    EXPECT_EQ(device_allocator(second).stats().in_use, 0U);
  }
  EXPECT_EQ(fake.counters().live_allocations, 0);
}

TEST(AllocatorTest, MemoryMovesBetweenStreamsBehindAnEvent) {
  test::FakeBackend fake;
  device::Device device(fake.backend(), Place("fake"));
  Allocator& allocator = device_allocator(device);
  constexpr std::uint64_t kBytes = 32 << 20;
  device::Stream stream(device);
  void* data = allocator.allocate(kBytes, nullptr, "x").data();
  EXPECT_EQ(fake.counters().events_recorded, 0U);
  EXPECT_EQ(allocator.allocate(kBytes, stream.handle(), "x").data(), data);
  EXPECT_EQ(fake.counters().events_recorded, 1U);
  EXPECT_EQ(fake.counters().event_waits, 1U);
}

TEST(AllocatorTest, MemoryOfADestroyedStreamIsFreeForAll) {
  test::FakeBackend fake;
  device::Device device(fake.backend(), Place("fake"));
  Allocator& allocator = device_allocator(device);
  constexpr std::uint64_t kBytes = 32 << 20;
  void* data = nullptr;
  {
    const device::Stream stream(device);
    data = allocator.allocate(kBytes, stream.handle(), "x").data();
  }
  EXPECT_EQ(allocator.allocate(kBytes, nullptr, "x").data(), data);
  EXPECT_EQ(fake.counters().events_recorded, 0U);
}

TEST(AllocatorTest, FullDeviceEmptiesItsCacheFirst) {
  test::FakeBackend fake({.memory = 64 << 20});
  device::Device device(fake.backend(), Place("fake"));
  Allocator& allocator = device_allocator(device);
  allocator.allocate(40 << 20, nullptr, "x").reset();
  EXPECT_NE(allocator.allocate(60 << 20, nullptr, "x").data(), nullptr);
  EXPECT_THAT([&] { allocator.allocate(70 << 20, nullptr, "huge"); },
              ThrowsMessage<Error>(HasSubstr("[memory] fake:0: no memory for 'huge'")));
}

}  // namespace
}  // namespace loci::memory
