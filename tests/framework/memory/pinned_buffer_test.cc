#include "framework/memory/pinned_buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <loci/error.hpp>
#include <map>

#include "framework/core/abi/error.h"
#include "framework/core/raise.h"
#include "tests/support/fake_device.h"

namespace loci::memory {
namespace {

std::map<void*, std::uint64_t> registered;

loci_error* keep(loci_device*, void* pointer, std::uint64_t bytes) {
  registered[pointer] = bytes;
  return nullptr;
}
loci_error* drop(loci_device*, void* pointer) {
  registered.erase(pointer);
  return nullptr;
}
loci_error* refuse(loci_device*, void*, std::uint64_t) {
  return core::make_error(Error(ErrorCode::kOutOfMemory, "no more pages to lock"));
}

TEST(PinnedBufferTest, RegistersWholePagesWhileItLives) {
  test::FakeBackend fake;
  fake.backend().api.host_register = keep;
  fake.backend().api.host_unregister = drop;
  device::Device device(fake.backend(), Place("fake"));
  {
    const PinnedBuffer first(device, 100, "first");
    const PinnedBuffer second(device, 5000, "second");
    EXPECT_TRUE(first.is_registered());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.data()) % 4096, 0U);
    EXPECT_EQ(registered.at(first.data()), 4096U);
    EXPECT_EQ(registered.at(second.data()), 8192U);
    std::memset(second.data(), 1, 8192);
  }
  EXPECT_TRUE(registered.empty());
}

TEST(PinnedBufferTest, IsHostMemoryWhereTheDeviceRefuses) {
  test::FakeBackend fake;
  fake.backend().api.host_register = refuse;
  fake.backend().api.host_unregister = drop;
  device::Device device(fake.backend(), Place("fake"));
  const PinnedBuffer buffer(device, 64, "buffer");
  EXPECT_FALSE(buffer.is_registered());
  std::memset(buffer.data(), 1, 64);
}

TEST(PinnedBufferTest, IsTheDevicesWhereThatRegistersNone) {
  test::FakeBackend fake({.has_pinned_memory = true});
  fake.backend().api.host_register = nullptr;
  device::Device device(fake.backend(), Place("fake"));
  {
    const PinnedBuffer buffer(device, 64, "buffer");
    EXPECT_TRUE(buffer.is_of_device());
    EXPECT_EQ(fake.counters().live_allocations, 1);
    std::memset(buffer.data(), 1, 64);
  }
  EXPECT_EQ(fake.counters().live_allocations, 0);
  fake.backend().api.host_register = refuse;
  fake.backend().api.host_unregister = drop;
  device::Device refusing(fake.backend(), Place("fake"));
  EXPECT_TRUE(PinnedBuffer(refusing, 64, "buffer").is_of_device());
}

TEST(PinnedBufferTest, IsHostMemoryWhereThereIsNoSuchThing) {
  test::FakeBackend fake;
  fake.backend().api.host_register = nullptr;
  device::Device device(fake.backend(), Place("fake"));
  const PinnedBuffer buffer(device, 64, "buffer");
  EXPECT_FALSE(buffer.is_registered());
  EXPECT_FALSE(buffer.is_of_device());
  EXPECT_NE(buffer.data(), nullptr);
  EXPECT_EQ(PinnedBuffer(device, 0, "none").data(), nullptr);
}

}  // namespace
}  // namespace loci::memory
