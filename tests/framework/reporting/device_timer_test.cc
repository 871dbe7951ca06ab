#include "framework/reporting/device_timer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <loci/error.hpp>
#include <thread>

#include "framework/device/device_manager.h"
#include "tests/support/fake_device.h"

namespace loci::reporting {
namespace {

using profiler::StatSet;

class DeviceTimerTest : public ::testing::Test {
 protected:
  DeviceTimerTest() { StatSet::instance().reset(); }
  ~DeviceTimerTest() override {
    drop_device_times();
    StatSet::instance().reset();
  }

  static device::Device& open(const test::FakeOptions& options) {
    backend_ = &test::add_fake_backend(options);
    return device::DeviceManager::instance().get(Place(options.type + ":0"));
  }
  static profiler::StatTotals of(const std::string& name) {
    const auto totals = StatSet::instance().totals();
    const auto found = totals.find(name);
    return found == totals.end() ? profiler::StatTotals() : found->second;
  }

  static inline test::FakeBackend* backend_ = nullptr;
  profiler::StatId stat_ = profiler::stat_id("work");
};

TEST_F(DeviceTimerTest, TimesWhatIsEnqueuedMeanwhile) {
  device::Device& device = open({.type = "timeda"});
  const auto begin = std::chrono::steady_clock::now();
  std::promise<void> gate;
  {
    const auto timer = DeviceTimer::begin(device.place(), stat_);
    test::enqueue(device.default_stream(), [opened = gate.get_future().share()] {
      opened.wait();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    });
  }
  EXPECT_EQ(of("work@timeda:0").count, 0U);  // nobody has waited for it
  gate.set_value();
  collect_device_times();
  const auto whole = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(of("work@timeda:0").count, 1U);
  EXPECT_GE(of("work@timeda:0").total_ns, 2'000'000U);
  EXPECT_LE(of("work@timeda:0").total_ns, static_cast<std::uint64_t>(whole.count()));
}

TEST_F(DeviceTimerTest, LaterTimersAddWhatHasEnded) {
  device::Device& device = open({.type = "timedb"});
  DeviceTimer::begin(device.place(), stat_);
  device.synchronize();
  DeviceTimer::begin(device.place(), stat_);
  EXPECT_EQ(of("work@timedb:0").count, 1U);
}

TEST_F(DeviceTimerTest, KeepsABoundedNumberOfTimesThatAreNotKnown) {
  device::Device& device = open({.type = "timedc"});
  for (int i = 0; i < 3000; ++i) DeviceTimer::begin(device.place(), stat_);
  EXPECT_GE(of("work@timedc:0").count, 3000U - 1024U);
  collect_device_times();
  EXPECT_EQ(of("work@timedc:0").count, 3000U);
}

TEST_F(DeviceTimerTest, ForgetsWhatIsNotKnownYet) {
  device::Device& device = open({.type = "timedd"});
  DeviceTimer::begin(device.place(), stat_);
  drop_device_times();
  collect_device_times();
  EXPECT_EQ(of("work@timedd:0").count, 0U);
}

TEST_F(DeviceTimerTest, LeavesOutDevicesWithoutAQueueOrAClock) {
  EXPECT_EQ(DeviceTimer::begin(Place(), stat_), nullptr);
  device::Device& device =
      open({.type = "timede", .flags = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY});
  EXPECT_EQ(DeviceTimer::begin(device.place(), stat_), nullptr);
  test::add_fake_backend({.type = "timedf"}).backend().api.event_elapsed_ns = nullptr;
  EXPECT_EQ(DeviceTimer::begin(Place("timedf"), stat_), nullptr);
}

TEST_F(DeviceTimerTest, SaysWhichDeviceIsMissing) {
  EXPECT_THROW(DeviceTimer::begin(Place("nosuch"), stat_), Error);
}

}  // namespace
}  // namespace loci::reporting
