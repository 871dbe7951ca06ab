#include "framework/device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <future>
#include <loci/error.hpp>
#include <loci/settings.hpp>
#include <vector>

#include "framework/device/stream.h"
#include "tests/support/fake_device.h"

namespace loci::device {
namespace {

using test::FakeBackend;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(DeviceTest, SaysWhatTheBackendSaid) {
  FakeBackend fake({.type = "sim", .memory = 4096, .min_chunk = 512});
  const Device device(fake.backend(), Place("sim:1"));
  EXPECT_EQ(device.place().to_string(), "sim:1");
  EXPECT_EQ(device.info().name, "sim");
  EXPECT_EQ(device.info().total_memory, 4096U);
  EXPECT_EQ(device.info().min_chunk, 512U);
  EXPECT_EQ(device.info().compute_units, 2U);
  EXPECT_TRUE(device.is_accelerator());
  EXPECT_FALSE(device.is_inline());
  EXPECT_NE(device.default_stream(), nullptr);
}

TEST(DeviceTest, StreamsWaitForEventsOfDevicesOfTheirPlugin) {
  FakeBackend fake;
  FakeBackend other;
  const Device device(fake.backend(), Place("fake"));
  const Device sibling(fake.backend(), Place("fake:1"));
  const Device stranger(other.backend(), Place("fake"));
  EXPECT_TRUE(device.can_wait_for(device));
  EXPECT_TRUE(device.can_wait_for(sibling));
  EXPECT_FALSE(device.can_wait_for(stranger));
}

TEST(DeviceTest, InlineDeviceHasNoStream) {
  FakeBackend fake({.flags = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY});
  Device device(fake.backend(), Place("fake"));
  EXPECT_TRUE(device.is_inline());
  EXPECT_TRUE(device.uses_host_memory());
  EXPECT_EQ(device.default_stream(), nullptr);
  device.synchronize_stream(nullptr);
}

TEST(DeviceTest, MakesFurtherStreamsOnce) {
  FakeBackend fake;
  {
    Device device(fake.backend(), Place("fake"));
    EXPECT_EQ(device.stream(0), device.default_stream());
    loci_stream* third = device.stream(3);
    EXPECT_NE(third, device.default_stream());
    EXPECT_EQ(device.stream(3), third);
    EXPECT_NE(device.stream(1), third);
    EXPECT_EQ(fake.counters().live_streams, 3);
  }
  EXPECT_EQ(fake.counters().live_streams, 0);
}

TEST(DeviceTest, ADeviceWithoutStreamsHasNoFurtherOnes) {
  FakeBackend fake({.flags = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY});
  Device device(fake.backend(), Place("fake"));
  EXPECT_EQ(device.stream(0), nullptr);
  EXPECT_THAT([&] { device.stream(1); },
              ThrowsMessage<Error>(HasSubstr("inline device without streams")));
}

TEST(DeviceTest, GivesTheNearestPriority) {
  FakeBackend fake({.least_priority = 1, .greatest_priority = -3});
  Device device(fake.backend(), Place("fake"));
  EXPECT_EQ(device.nearest_priority(-4), -3);
  EXPECT_EQ(device.nearest_priority(-2), -2);
  EXPECT_EQ(device.nearest_priority(0), 0);
  EXPECT_EQ(device.nearest_priority(9), 1);
}

TEST(DeviceTest, CountsLiveObjectsOfThePlugin) {
  FakeBackend fake;
  {
    Device device(fake.backend(), Place("fake"));
    EXPECT_EQ(device.plugin().live_objects(), 1);
    void* memory = device.allocate(64, device.default_stream());
    EXPECT_EQ(device.plugin().live_objects(), 2);
    device.deallocate(memory, device.default_stream());
    EXPECT_EQ(device.plugin().live_objects(), 1);
  }
  EXPECT_EQ(fake.backend().plugin->live_objects(), 0);
  EXPECT_EQ(fake.counters().open_devices, 0);
  EXPECT_EQ(fake.counters().live_streams, 0);
}

TEST(DeviceTest, CopiesInStreamOrder) {
  FakeBackend fake;
  Device device(fake.backend(), Place("fake"));
  loci_stream* stream = device.default_stream();
  const std::array<int, 4> source{1, 2, 3, 4};
  std::array<int, 4> result{};
  void* memory = device.allocate(sizeof source, stream);
  EXPECT_FALSE(device.copy(LOCI_END_HOST, source.data(), LOCI_END_DEVICE, memory, sizeof source,
                           stream, /*correlation=*/0));
  device.copy(LOCI_END_DEVICE, memory, LOCI_END_HOST, result.data(), sizeof result, stream, 0);
  device.synchronize_stream(stream);
  EXPECT_EQ(result, source);
  EXPECT_EQ(fake.counters().to_device, sizeof source);
  EXPECT_EQ(fake.counters().to_host, sizeof result);
  device.deallocate(memory, stream);
}

TEST(DeviceTest, ErrorsNameThePlaceAndTheAction) {
  FakeBackend fake({.type = "sim"});
  Device device(fake.backend(), Place("sim"));
  fake.fail_next("copy", ErrorCode::kFailed, "the bus is gone");
  std::array<char, 8> bytes{};
  EXPECT_THAT(
      [&] {
        device.copy(LOCI_END_HOST, bytes.data(), LOCI_END_DEVICE, bytes.data(), bytes.size(),
                    device.default_stream(), 0);
      },
      ThrowsMessage<Error>(
          AllOf(HasSubstr("[device] sim:0"), HasSubstr("8 bytes"), HasSubstr("the bus is gone"))));
}

TEST(DeviceTest, KeepsTheCodeOfTheBackendsError) {
  FakeBackend fake({.memory = 1024});
  Device device(fake.backend(), Place("fake"));
  try {
    device.allocate(4096, device.default_stream());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
    EXPECT_THAT(error.what(), HasSubstr("allocating 4096 bytes"));
  }
}

TEST(DeviceTest, WaitingGivesTheErrorOfEnqueuedWork) {
  FakeBackend fake;
  Device device(fake.backend(), Place("fake"));
  fake.fail_async("launch of relu failed");
  EXPECT_THAT([&] { device.synchronize_stream(device.default_stream()); },
              ThrowsMessage<Error>(HasSubstr("launch of relu failed")));
  device.synchronize();
}

TEST(DeviceTest, NamesThePluginWhoseFunctionsThrow) {
  FakeBackend fake;
  const auto open = [&fake] { const Device device(fake.backend(), Place("fake:0")); };
  const std::string id = fake.backend().plugin->id();
  const loci_device_api good = fake.backend().api;
  static const auto close = fake.backend().api.close;
  fake.backend().api.close = [](loci_device* opened) {
    close(opened);
    throw 42;
  };
  EXPECT_NO_THROW(open()) << "what is let out at the end is logged";
  fake.backend().api = good;
  fake.backend().api.open = [](loci_plugin*, std::uint32_t, loci_device**) -> loci_error* {
    throw 42;
  };
  EXPECT_THAT(open, ThrowsMessage<Error>(AllOf(
                        HasSubstr(id), HasSubstr("its open of fake:0 let an exception escape"))));
  fake.backend().api.describe = [](loci_plugin*, std::uint32_t, loci_device_info*) -> loci_error* {
    throw std::runtime_error("no such thing");
  };
  EXPECT_THAT(open, ThrowsMessage<Error>(AllOf(HasSubstr(id), HasSubstr("no such thing"))));
}

TEST(DeviceTest, OpenFailureLeavesNothingBehind) {
  FakeBackend fake;
  fake.fail_next("open", ErrorCode::kUnavailable, "in use by another process");
  EXPECT_THAT(
      [&] { const Device device(fake.backend(), Place("fake:0")); },
      ThrowsMessage<Error>(AllOf(HasSubstr("fake:0"), HasSubstr("in use by another process"))));
  fake.fail_next("stream_create", ErrorCode::kFailed, "no more streams");
  EXPECT_THAT([&] { const Device device(fake.backend(), Place("fake:0")); },
              ThrowsMessage<Error>(HasSubstr("no more streams")));
  EXPECT_EQ(fake.counters().open_devices, 0);
  EXPECT_EQ(fake.backend().plugin->live_objects(), 0);
}

// LOCI_SYNC_TIMEOUT while it lives.
struct SyncLimit {
  explicit SyncLimit(const char* seconds) { config::set("SYNC_TIMEOUT", seconds); }
  ~SyncLimit() { config::set("SYNC_TIMEOUT", ""); }
  SyncLimit(const SyncLimit&) = delete;
  SyncLimit& operator=(const SyncLimit&) = delete;
};

// Far more than it may take: so that a test which fails does not hang.
constexpr std::chrono::seconds kPatience{60};

TEST(DeviceTest, WaitsForAllStreamsWithinTheLimit) {
  const SyncLimit limit("1");
  FakeBackend fake;
  Device device(fake.backend(), Place("fake"));
  const Stream own(device);
  std::promise<void> gate;
  test::enqueue(own.handle(), [opened = gate.get_future().share()] { opened.wait(); });
  auto waiting = std::async(std::launch::async, [&] { device.synchronize(); });
  EXPECT_EQ(waiting.wait_for(kPatience), std::future_status::ready);
  gate.set_value();
  EXPECT_THAT([&] { waiting.get(); },
              ThrowsMessage<Error>(HasSubstr("the work in a stream besides its default one has not "
                                             "come to an end within 1 s (LOCI_SYNC_TIMEOUT)")));
}

TEST(DeviceTest, AStreamThatHasEndedIsNotWaitedFor) {
  const SyncLimit limit("60");
  FakeBackend fake;
  Device device(fake.backend(), Place("fake"));
  { const Stream ended(device); }
  EXPECT_EQ(fake.counters().live_streams, 1);
  device.synchronize();
}

TEST(DeviceTest, SaysThatACopyWaitsWhereThereIsALimit) {
  const SyncLimit limit("60");
  FakeBackend fake;
  Device device(fake.backend(), Place("fake"));
  loci_stream* stream = device.default_stream();
  int value = 0;
  void* memory = device.allocate(sizeof value, stream);
  const auto copy = [&](std::uint32_t from, void* source, std::uint32_t to, void* target) {
    return device.copy(from, source, to, target, sizeof value, stream, /*correlation=*/0);
  };
  EXPECT_TRUE(copy(LOCI_END_HOST, &value, LOCI_END_DEVICE, memory));
  EXPECT_FALSE(copy(LOCI_END_DEVICE, memory, LOCI_END_DEVICE, memory));
  EXPECT_TRUE(copy(LOCI_END_DEVICE, memory, LOCI_END_HOST, &value));
  device.deallocate(memory, stream);
  device.synchronize();
}

// Confirms when it is told to, under the device's lock of its work.
class SlowWork : public UnprovenWork {
 public:
  [[nodiscard]] bool has(std::uint64_t) const override { return false; }
  [[nodiscard]] bool may_use(const UnprovenWork&) const override { return false; }
  [[nodiscard]] std::string describe(std::uint64_t) const override { return {}; }
  void confirm(std::uint64_t) noexcept override {
    begun.set_value();
    gate.get_future().wait();
  }
  void fail(const std::shared_ptr<Failure>&, std::uint64_t) noexcept override {}

  std::promise<void> begun;
  std::promise<void> gate;
};

// The child of a fork() is in this state while another thread of the parent had the lock.
TEST(DeviceTest, AChildIsRefusedWithoutALock) {
  FakeBackend fake;
  Device device(fake.backend(), Place("fake"));
  SlowWork work;
  auto holder = std::async(std::launch::async, [&] { device.check_async_error(&work); });
  work.begun.get_future().wait();
  device.leave_to_parent();
  auto refused = std::async(std::launch::async, [&] {
    const auto refusal = ThrowsMessage<Error>(HasSubstr("belongs to its parent"));
    EXPECT_THAT([&] { device.check_async_error(); }, refusal);
    EXPECT_THAT([&] { device.synchronize_stream(device.default_stream()); }, refusal);
    EXPECT_THAT([&] { device.synchronize(); }, refusal);
  });
  EXPECT_EQ(refused.wait_for(kPatience), std::future_status::ready);
  work.gate.set_value();
  holder.get();
}

class CountingResident : public Resident {
 public:
  explicit CountingResident(int* ended) : ended_(ended) {}
  void stream_ended(loci_stream*) noexcept override { ++*ended_; }
  void device_lost() noexcept override {}

 private:
  int* ended_;
};

const Error kLost(ErrorCode::kDeviceLost, "it fell off the bus");

TEST(DeviceTest, OnlyALostOneIsClosedBeforeItsEnd) {
  FakeBackend fake;
  Device device(fake.backend(), Place("fake"));
  device.close_if_unused();
  EXPECT_EQ(fake.counters().open_devices, 1);
  device.note_loss(kLost);
  (void)device.default_stream();
  device.close_if_unused();
  EXPECT_EQ(fake.counters().open_devices, 0);
  EXPECT_EQ(fake.counters().live_streams, 0);
  EXPECT_EQ(device.plugin().live_objects(), 0);
  EXPECT_THAT([&] { device.synchronize(); },
              ThrowsMessage<Error>(HasSubstr("fake:0 is lost: it fell off the bus")));
  EXPECT_THAT([&] { const Event event(device); }, ThrowsMessage<Error>(HasSubstr("is lost")));
}

TEST(DeviceTest, StaysOpenWhileAnObjectRefersToIt) {
  FakeBackend fake;
  Device device(fake.backend(), Place("fake"));
  (void)device.stream(2);
  void* memory = device.allocate(64, device.default_stream());
  auto stream = std::make_unique<Stream>(device);
  auto event = std::make_unique<Event>(device);
  device.note_loss(kLost);
  const auto stays_open = [&] {
    device.close_if_unused();
    return fake.counters().open_devices == 1;
  };
  EXPECT_TRUE(stays_open());
  device.deallocate(memory, device.default_stream());
  EXPECT_TRUE(stays_open());
  stream.reset();
  EXPECT_TRUE(stays_open());
  event.reset();
  EXPECT_FALSE(stays_open());
}

TEST(DeviceTest, MakesTheResidentOnce) {
  static int made = 0;
  static int ended = 0;
  FakeBackend fake;
  {
    Device device(fake.backend(), Place("fake"));
    const auto make = [](Device&) -> std::unique_ptr<Resident> {
      ++made;
      return std::make_unique<CountingResident>(&ended);
    };
    EXPECT_EQ(&device.resident(make), &device.resident(make));
    device.end_stream(device.default_stream());
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(ended, 1);
}

}  // namespace
}  // namespace loci::device
