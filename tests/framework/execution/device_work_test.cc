#include "framework/execution/device_work.h"

#include "framework/device/device_manager.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

class DeviceWorkTest : public executor::ProgramsTest {
 protected:
  static device::Device& device() { return device::DeviceManager::instance().get(Place("cpu")); }
};

TEST_F(DeviceWorkTest, IsInQuestionFromItsBeginUntilTheDeviceIsAsked) {
  DeviceWork work(device());
  EXPECT_EQ(work.describe(0), "");
  work.begin();
  EXPECT_EQ(work.describe(0), "a program's run at cpu");
  work.finish();
  EXPECT_EQ(work.describe(0), "");
}

TEST_F(DeviceWorkTest, FailsWithWhatAnotherIsToldOf) {
  DeviceWork work(device());
  work.begin();
  EXPECT_STREQ(device().fail_work(Error(ErrorCode::kFailed, "it broke"))->error.what(),
               "it broke; it is a program's run at cpu");
  EXPECT_THROW(work.finish(), Error);
  work.begin();
  EXPECT_NO_THROW(work.finish()) << "the next run is another one's work";
}

TEST_F(DeviceWorkTest, HasTheLaunchesOfItsRun) {
  DeviceWork work(device());
  work.set_launches(1, 1);
  EXPECT_FALSE(work.has(1)) << "it has not begun";
  work.begin();
  work.set_launches(10, 3);
  EXPECT_FALSE(work.has(9));
  EXPECT_TRUE(work.has(10));
  EXPECT_TRUE(work.has(12));
  EXPECT_FALSE(work.has(13));
  work.finish();
}

TEST_F(DeviceWorkTest, WhatHasBeenAskedAboutDoesNotFail) {
  DeviceWork work(device());
  work.begin();
  work.finish();
  (void)device().fail_work(Error(ErrorCode::kFailed, "it broke"));
  EXPECT_EQ(work.failure(), nullptr);
}

TEST_F(DeviceWorkTest, TheAskersOwnComesFirst) {
  DeviceWork first(device());
  { const DeviceWork ended(device()); }
  first.begin();
  DeviceWork asker(device());
  asker.begin();
  EXPECT_STREQ(device().fail_work(Error(ErrorCode::kFailed, "it broke"), &asker)->error.what(),
               "it broke; it is a program's run at cpu, or a program's run at cpu");
  EXPECT_NE(first.failure(), nullptr);
  EXPECT_NE(asker.failure(), nullptr);
}

}  // namespace
}  // namespace loci::execution
