#include "framework/device/timed_work.h"

#include <gtest/gtest.h>

#include <vector>

#include "framework/device/capture_rules.h"
#include "framework/device/device_manager.h"
#include "tests/support/fake_device.h"

namespace loci::device {
namespace {

class CountedTimer final : public WorkTimer {
 public:
  Interval* begin(Device&, loci_stream*, const Work& work) noexcept override {
    begun.push_back(work.correlation);
    return times ? &interval_ : nullptr;
  }
  void end(Interval&, loci_stream*) noexcept override { ++ended; }

  std::vector<std::uint64_t> begun;
  int ended = 0;
  bool times = true;

 private:
  Interval interval_;
};

class TimedWorkTest : public ::testing::Test {
 protected:
  TimedWorkTest() { add_work_timer(timer_); }
  ~TimedWorkTest() override { remove_work_timer(*timer_); }

  static Device& device() {
    static Device& opened = []() -> Device& {
      test::add_fake_backend({.type = "timedwork"});
      return DeviceManager::instance().get(Place("timedwork:0"));
    }();
    return opened;
  }
  static void work(std::uint64_t correlation) {
    const TimedWork timed(device(), device().default_stream(), {.correlation = correlation});
  }

  std::shared_ptr<CountedTimer> timer_ = std::make_shared<CountedTimer>();
};

TEST_F(TimedWorkTest, IsToldAroundTheWork) {
  {
    const TimedWork timed(device(), device().default_stream(), {.correlation = 5});
    EXPECT_EQ(timer_->begun, std::vector<std::uint64_t>{5});
    EXPECT_EQ(timer_->ended, 0);
  }
  EXPECT_EQ(timer_->ended, 1);
}

TEST_F(TimedWorkTest, HasNoEndWhereItIsNotTimed) {
  timer_->times = false;
  work(5);
  EXPECT_EQ(timer_->begun.size(), 1U);
  EXPECT_EQ(timer_->ended, 0);
}

TEST_F(TimedWorkTest, KeepsTheTimerThatItBeganWith) {
  {
    const TimedWork timed(device(), device().default_stream(), {.correlation = 5});
    remove_work_timer(*timer_);
    EXPECT_FALSE(times_work());
  }
  EXPECT_EQ(timer_->ended, 1);
  work(6);
  EXPECT_EQ(timer_->begun.size(), 1U);
}

// Sessions of two contexts at one time.
TEST_F(TimedWorkTest, GoesToTheTimerThatTimesItsDevice) {
  const auto other = std::make_shared<CountedTimer>();
  timer_->times = false;
  add_work_timer(other);
  work(5);
  EXPECT_EQ(timer_->ended, 0);
  EXPECT_EQ(other->ended, 1);
  remove_work_timer(*other);
  EXPECT_TRUE(times_work()) << "the other session goes on";
}

// An event in a stream that is captured would become a part of the graph.
TEST_F(TimedWorkTest, StaysOutOfCaptures) {
  active_captures.fetch_add(1);
  work(5);
  active_captures.fetch_sub(1);
  EXPECT_TRUE(timer_->begun.empty());
}

}  // namespace
}  // namespace loci::device
