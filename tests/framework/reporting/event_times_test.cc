#include "framework/reporting/event_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <loci/error.hpp>
#include <string>
#include <thread>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/device/device_manager.h"
#include "framework/device/stream.h"
#include "framework/profiler/clock.h"
#include "tests/support/fake_device.h"

namespace loci::reporting {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::size_t kMany = 10'000;  // more than the events that are kept

class EventTimesTest : public ::testing::Test {
 protected:
  static device::Device& open_timed(const std::string& type) {
    backend_ = &test::add_fake_backend({.type = type});
    return device::DeviceManager::instance().get(Place(type + ":0"));
  }
  // Enqueues work as a launch does that takes that long.
  void enqueue(device::Device& device, std::uint64_t correlation,
               std::chrono::milliseconds duration) {
    loci_stream* stream = device.default_stream();
    auto* interval = times_.begin(device, stream, {.correlation = correlation, .name = "relu"});
    ASSERT_NE(interval, nullptr);
    test::enqueue(stream, [=] { std::this_thread::sleep_for(duration); });
    times_.end(*interval, stream);
  }
  profiler::DeviceLog::Content flushed() {
    times_.flush();
    return log_->take();
  }

  static inline test::FakeBackend* backend_ = nullptr;
  std::shared_ptr<profiler::DeviceLog> log_ =
      std::make_shared<profiler::DeviceLog>("timed", 1'000'000);
  EventTimes times_;
};

TEST_F(EventTimesTest, TellsWhenWorkRan) {
  device::Device& device = open_timed("eventsa");
  ASSERT_TRUE(times_.watch(device, log_));
  const std::uint64_t before = profiler::monotonic_ns();
  enqueue(device, 7, std::chrono::milliseconds(3));
  enqueue(device, 8, std::chrono::milliseconds(1));
  const profiler::DeviceLog::Content content = flushed();
  const std::uint64_t behind = profiler::monotonic_ns();
  ASSERT_THAT(content.device, SizeIs(2));
  const loci_device_record& first = content.device[0].record;
  const loci_device_record& second = content.device[1].record;
  EXPECT_EQ(first.correlation, 7U);
  EXPECT_EQ(second.correlation, 8U);
  EXPECT_GE(first.end_ns - first.begin_ns, 3'000'000U);
  EXPECT_GE(second.end_ns - second.begin_ns, 1'000'000U);
  EXPECT_GE(first.begin_ns + 1'000'000U, before);
  EXPECT_LE(second.end_ns, behind);
  EXPECT_EQ(content.texts[content.device[0].name], "relu");
}

TEST_F(EventTimesTest, TellsStreamsApart) {
  device::Device& device = open_timed("eventsb");
  ASSERT_TRUE(times_.watch(device, log_));
  const device::Stream own(device);
  for (loci_stream* stream : {device.default_stream(), own.handle()}) {
    auto* interval = times_.begin(device, stream, {.correlation = 1});
    ASSERT_NE(interval, nullptr);
    times_.end(*interval, stream);
  }
  const profiler::DeviceLog::Content content = flushed();
  ASSERT_THAT(content.device, SizeIs(2));
  EXPECT_NE(content.device[0].record.stream, content.device[1].record.stream);
}

TEST_F(EventTimesTest, LosesNothingOfMoreWorkThanItKeepsEvents) {
  device::Device& device = open_timed("eventsc");
  ASSERT_TRUE(times_.watch(device, log_));
  for (std::size_t i = 1; i <= kMany; ++i) enqueue(device, i, std::chrono::milliseconds(0));
  EXPECT_THAT(flushed().device, SizeIs(kMany));
}

TEST_F(EventTimesTest, CountsWhatAFailingDeviceDoesNotTell) {
  device::Device& device = open_timed("eventsd");
  ASSERT_TRUE(times_.watch(device, log_));
  enqueue(device, 1, std::chrono::milliseconds(0));
  backend_->backend().api.event_elapsed_ns = [](loci_event*, loci_event*, std::uint64_t*) {
    return core::make_error(Error(ErrorCode::kFailed, "it does not tell"));
  };
  const profiler::DeviceLog::Content content = flushed();
  EXPECT_THAT(content.device, IsEmpty());
  EXPECT_EQ(content.dropped, 1U);
}

TEST_F(EventTimesTest, LeavesOtherDevicesAlone) {
  device::Device& device = open_timed("eventse");
  EXPECT_EQ(times_.begin(device, device.default_stream(), {.correlation = 1}), nullptr);
  backend_->backend().api.event_elapsed_ns = nullptr;
  EXPECT_FALSE(times_.watch(device, log_));
}

}  // namespace
}  // namespace loci::reporting
