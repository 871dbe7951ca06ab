#include "framework/memory/device_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <loci/error.hpp>

#include "tests/support/fake_device.h"

namespace loci::memory {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(DeviceSourceTest, TakesMemoryOfTheDevice) {
  test::FakeBackend fake({.type = "sim", .memory = 8192, .alignment = 512, .min_chunk = 128});
  device::Device device(fake.backend(), Place("sim"));
  DeviceSource source(device);
  EXPECT_EQ(source.place(), "sim:0");
  EXPECT_EQ(source.alignment(), 512U);
  EXPECT_EQ(source.chunk(), 128U);
  EXPECT_FALSE(source.is_host());
  void* memory = source.acquire(4096, device.default_stream());
  EXPECT_EQ(source.free_bytes(), 4096U);
  EXPECT_THAT([&] { source.acquire(8192, device.default_stream()); },
              ThrowsMessage<Error>(HasSubstr("sim:0: allocating 8192 bytes")));
  source.release(memory, 4096);
  EXPECT_EQ(source.free_bytes(), 8192U);
}

TEST(DeviceSourceTest, OrderMakesTheLaterStreamWait) {
  test::FakeBackend fake;
  device::Device device(fake.backend(), Place("fake"));
  DeviceSource source(device);
  device::Stream earlier(device);
  device::Stream later(device);
  std::promise<void> gate;
  int value = 0;
  int seen = -1;
  test::enqueue(earlier.handle(), [&value, opened = gate.get_future().share()] {
    opened.wait();
    value = 1;
  });
  source.order(earlier.handle(), later.handle());
  test::enqueue(later.handle(), [&] { seen = value; });
  EXPECT_FALSE(later.done());
  gate.set_value();
  later.synchronize();
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace loci::memory
