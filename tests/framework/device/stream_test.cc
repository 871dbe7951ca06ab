#include "framework/device/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <loci/error.hpp>
#include <thread>

#include "tests/support/fake_device.h"

namespace loci::device {
namespace {

using test::FakeBackend;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(StreamTest, IsDoneWhenItsWorkHasEnded) {
  FakeBackend fake;
  Device device(fake.backend(), Place("fake"));
  Stream stream(device);
  EXPECT_TRUE(stream.done());
  std::promise<void> gate;
  test::enqueue(stream.handle(), [opened = gate.get_future().share()] { opened.wait(); });
  EXPECT_FALSE(stream.done());
  gate.set_value();
  stream.synchronize();
  EXPECT_TRUE(stream.done());
}

TEST(StreamTest, IsMadeWithItsPriority) {
  FakeBackend fake({.greatest_priority = -3});
  Device device(fake.backend(), Place("fake"));
  EXPECT_EQ(fake.counters().last_priority, 0) << "the default stream's";
  const Stream urgent(device, -3);
  EXPECT_EQ(fake.counters().last_priority, -3);
}

TEST(StreamTest, DestructorWaitsForItsWork) {
  FakeBackend fake;
  Device device(fake.backend(), Place("fake"));
  std::atomic<bool> ran{false};
  {
    const Stream stream(device);
    test::enqueue(stream.handle(), [&ran] { ran = true; });
  }
  EXPECT_TRUE(ran);
}

TEST(StreamTest, AnotherStreamWaitsForAnEvent) {
  FakeBackend fake;
  Device device(fake.backend(), Place("fake"));
  Stream first(device);
  Stream second(device);
  Event event(device);
  EXPECT_TRUE(event.done());
  std::promise<void> gate;
  std::atomic<int> order{0};
  int first_was = 0;
  int second_was = 0;
  test::enqueue(first.handle(), [&, opened = gate.get_future().share()] {
    opened.wait();
    first_was = ++order;
  });
  event.record(first.handle());
  EXPECT_FALSE(event.done());
  event.wait_on(second.handle());
  test::enqueue(second.handle(), [&] { second_was = ++order; });
  gate.set_value();
  second.synchronize();
  event.synchronize();
  EXPECT_TRUE(event.done());
  EXPECT_EQ(first_was, 1);
  EXPECT_EQ(second_was, 2);
}

TEST(StreamTest, MeasuresBetweenEvents) {
  FakeBackend fake;
  Device device(fake.backend(), Place("fake"));
  Stream stream(device);
  Event begin(device, Event::Timing::kTimed);
  Event end(device, Event::Timing::kTimed);
  begin.record(stream.handle());
  test::enqueue(stream.handle(), [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
  end.record(stream.handle());
  end.synchronize();
  EXPECT_GE(begin.ns_until(end), 2'000'000U);
}

TEST(StreamTest, ADeviceThatDoesNotMeasureIsNamed) {
  FakeBackend fake;
  fake.backend().api.event_elapsed_ns = nullptr;
  Device device(fake.backend(), Place("fake"));
  Event begin(device);
  Event end(device);
  EXPECT_THAT([&] { static_cast<void>(begin.ns_until(end)); },
              ThrowsMessage<Error>(HasSubstr("fake:0 does not measure between events")));
}

TEST(StreamTest, InlineDeviceWithoutStreamsRefuses) {
  FakeBackend fake({.flags = LOCI_DEVICE_INLINE});
  Device device(fake.backend(), Place("fake"));
  EXPECT_THAT([&] { const Stream stream(device); },
              ThrowsMessage<Error>(HasSubstr("fake:0 is an inline device without streams")));
  EXPECT_THAT([&] { const Event event(device); }, ThrowsMessage<Error>(HasSubstr("events")));
}

TEST(StreamTest, SynchronizeGivesTheBackendsError) {
  FakeBackend fake;
  Device device(fake.backend(), Place("fake"));
  Stream stream(device);
  fake.fail_next("stream_synchronize", ErrorCode::kFailed, "lost the device");
  EXPECT_THAT([&] { stream.synchronize(); }, ThrowsMessage<Error>(HasSubstr("lost the device")));
}

TEST(StreamTest, ALostDeviceIsRefusedAndLeftWithoutWaiting) {
  FakeBackend fake;
  Device device(fake.backend(), Place("fake"));
  {
    Stream stream(device);
    Event event(device);
    fake.fail_next("stream_synchronize", ErrorCode::kDeviceLost, "it fell off the bus");
    EXPECT_THAT([&] { stream.synchronize(); },
                ThrowsMessage<Error>(HasSubstr("it fell off the bus")));
    EXPECT_EQ(device.loss().by(), "it fell off the bus");
    const auto refusal =
        ThrowsMessage<Error>(HasSubstr("[device] fake:0 is lost: it fell off the bus; "));
    for (int i = 0; i < 2; ++i) {
      EXPECT_THAT([&] { stream.synchronize(); }, refusal);
      EXPECT_THAT([&] { (void)stream.done(); }, refusal);
      EXPECT_THAT([&] { event.record(stream.handle()); }, refusal);
      EXPECT_THAT([&] { (void)device.allocate(64, nullptr); }, refusal);
      EXPECT_THAT([&] { device.check_async_error(); }, refusal);
    }
  }
}

}  // namespace
}  // namespace loci::device
