#include "framework/device/device_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <thread>

#include "framework/device/stream.h"
#include "tests/support/fake_device.h"

namespace loci::device {
namespace {

using test::FakeBackend;
using test::FakeSource;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::uint32_t kHostFlags = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY;

std::unique_ptr<FakeSource> source_of(std::vector<FakeBackend*> backends, std::string reason = {}) {
  return std::make_unique<FakeSource>(std::move(backends), std::move(reason));
}

TEST(DeviceManagerTest, OpensADeviceOnce) {
  FakeBackend fake({.count = 2});
  DeviceManager manager(source_of({&fake}));
  EXPECT_EQ(manager.count("fake"), 2U);
  EXPECT_EQ(fake.counters().open_devices, 0);
  Device& first = manager.get(Place("fake"));
  EXPECT_EQ(&first, &manager.get(Place("fake:0")));
  EXPECT_NE(&first, &manager.get(Place("fake:1")));
  EXPECT_EQ(fake.counters().open_devices, 2);
}

TEST(DeviceManagerTest, OpensADeviceOnceForManyThreads) {
  FakeBackend fake;
  DeviceManager manager(source_of({&fake}));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&manager] { (void)manager.get(Place("fake")); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fake.counters().open_devices, 1);
}

TEST(DeviceManagerTest, MissingDeviceIsNamedWithThoseThatThereAre) {
  FakeBackend cpu({.type = "cpu", .flags = kHostFlags});
  FakeBackend sim({.type = "sim", .count = 2});
  DeviceManager manager(source_of({&cpu, &sim}, "libfoo.so is missing"));
  try {
    manager.get(Place("foo"));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
    EXPECT_STREQ(error.what(), "[device] there is no device 'foo:0'; there are cpu, sim:0, sim:1");
    EXPECT_EQ(error.details(), "foo: libfoo.so is missing");
  }
  EXPECT_EQ(manager.count("foo"), 0U);
}

TEST(DeviceManagerTest, ListsPlacesWithoutOpening) {
  FakeBackend cpu({.type = "cpu", .flags = kHostFlags});
  FakeBackend sim({.type = "sim", .count = 2});
  DeviceManager manager(source_of({&cpu, &sim}));
  EXPECT_THAT(manager.places(),
              ::testing::ElementsAre(Place("cpu"), Place("sim:0"), Place("sim:1")));
  EXPECT_EQ(sim.counters().open_devices, 0);
}

TEST(DeviceManagerTest, AReopenedDeviceIsClosedOnceNothingRefersToIt) {
  FakeBackend sim({.type = "sim"});
  DeviceManager manager(source_of({&sim}));
  std::vector<Device*> told;
  manager.watch_reopening([&told](Device& replaced) { told.push_back(&replaced); });
  std::vector<Device*> devices;
  for (int i = 0; i < 1000; ++i) {
    Device& device = manager.get(Place("sim"));
    devices.push_back(&device);
    device.note_loss(Error(ErrorCode::kDeviceLost, "it fell off the bus"));
    manager.reopen(Place("sim"));
    EXPECT_LE(sim.counters().open_devices, 2);  // the new one, and the one before
    EXPECT_LE(sim.counters().live_streams, 2);
  }
  EXPECT_EQ(told, devices);
  EXPECT_EQ(&manager.get(Place("sim")), manager.open_devices().at(0));
  EXPECT_THAT([&] { devices.front()->synchronize(); },
              ThrowsMessage<Error>(HasSubstr("sim:0 is lost: it fell off the bus")));
}

TEST(DeviceManagerTest, AReopenedDeviceInUseStaysOpen) {
  FakeBackend sim({.type = "sim"});
  DeviceManager manager(source_of({&sim}));
  const auto lose_and_reopen = [&manager] {
    manager.get(Place("sim")).note_loss(Error(ErrorCode::kDeviceLost, "gone"));
    manager.reopen(Place("sim"));
  };
  {
    const Event event(manager.get(Place("sim")));
    for (int i = 0; i < 3; ++i) lose_and_reopen();
    EXPECT_EQ(sim.counters().open_devices, 3);  // with the event's
  }
  lose_and_reopen();
  EXPECT_EQ(sim.counters().open_devices, 2);
}

TEST(DeviceManagerTest, ListsDevicesThatAreOpen) {
  FakeBackend sim({.type = "sim", .count = 2});
  DeviceManager manager(source_of({&sim}));
  EXPECT_TRUE(manager.open_devices().empty());
  Device& opened = manager.get(Place("sim:1"));
  EXPECT_THAT(manager.open_devices(), ::testing::ElementsAre(&opened));
}

TEST(DeviceManagerTest, GpuCountsTheBestAccelerator) {
  FakeBackend cpu({.type = "cpu", .flags = kHostFlags});
  FakeBackend sim({.type = "sim", .count = 2});
  EXPECT_EQ(DeviceManager(source_of({&cpu, &sim})).count("gpu"), 2U);
  EXPECT_EQ(DeviceManager(source_of({&cpu})).count("gpu"), 0U);
}

TEST(DeviceManagerTest, IndexBeyondTheLastDeviceIsRefused) {
  FakeBackend sim({.type = "sim", .count = 2});
  DeviceManager manager(source_of({&sim}));
  EXPECT_THAT(
      [&] { (void)manager.get(Place("sim:2")); },
      ThrowsMessage<Error>(AllOf(HasSubstr("no device 'sim:2'"), HasSubstr("sim:0, sim:1"))));
}

// The first device is opened of one plugin, and another one that comes later has more to say.
TEST(DeviceManagerTest, IndexBeyondTheLastDeviceOfAPluginThatCameLaterNamesBoth) {
  FakeBackend first({.type = "sim", .count = 2, .score = 10, .plugin = "org.loci.first"});
  FakeBackend later({.type = "sim", .count = 1, .score = 20, .plugin = "org.loci.later"});
  DeviceManager manager(source_of({&first}));
  (void)manager.get(Place("sim:0"));
  manager.add_source(source_of({&later}));
  EXPECT_THAT([&] { (void)manager.get(Place("sim:1")); },
              ThrowsMessage<Error>(HasSubstr(
                  "there is no device 'sim:1': org.loci.later brings 1 (score 20), and is used "
                  "before org.loci.first, which brings 2 (score 10); disable it to use another; "
                  "there are sim:0")));
}

TEST(DeviceManagerTest, OfManyDevicesAMessageNamesTheFirst) {
  FakeBackend many({.type = "many", .count = 1000});
  DeviceManager manager(source_of({&many}));
  EXPECT_THAT([&] { (void)manager.get(Place("foo")); },
              ThrowsMessage<Error>(HasSubstr("many:18, many:19 and 980 more")));
}

TEST(DeviceManagerTest, WithoutPluginsItSaysSo) {
  DeviceManager manager(source_of({}));
  EXPECT_THAT([&] { (void)manager.get(Place("cpu")); },
              ThrowsMessage<Error>(HasSubstr("no plugin brings one")));
}

TEST(DeviceManagerTest, GpuPrefersCudaOverAHigherScore) {
  FakeBackend sim({.type = "sim", .score = 90});
  FakeBackend cuda({.type = "cuda", .score = 5});
  DeviceManager manager(source_of({&sim, &cuda}));
  EXPECT_EQ(manager.get(Place("gpu")).place().to_string(), "cuda:0");
}

TEST(DeviceManagerTest, GpuIsTheAcceleratorWithTheBestScore) {
  FakeBackend cpu({.type = "cpu", .flags = kHostFlags, .score = 100});
  FakeBackend sim({.type = "sim", .score = 1});
  FakeBackend other({.type = "other", .count = 2, .score = 7});
  FakeBackend empty_cuda({.type = "cuda", .count = 0, .score = 50});
  DeviceManager manager(source_of({&cpu, &sim, &other, &empty_cuda}));
  EXPECT_EQ(manager.resolve(Place("gpu"), Place()).to_string(), "other:0");
  EXPECT_EQ(manager.resolve(Place("gpu:1"), Place()).to_string(), "other:1");
  EXPECT_EQ(manager.resolve(Place("gpu"), Place("other:1")).to_string(), "other:1");
}

// Returns what a manager writes to the log when asked twice.
std::string log_of_gpu(std::vector<FakeBackend*> backends, const std::string& reason) {
  DeviceManager manager(source_of(std::move(backends), reason));
  ::testing::internal::CaptureStderr();
  (void)manager.resolve(Place("gpu"), Place());
  (void)manager.get(Place("gpu:0"));
  return ::testing::internal::GetCapturedStderr();
}

TEST(DeviceManagerTest, GpuThatIsNotCudaIsToldOnceWithTheReason) {
  FakeBackend sim({.type = "sim"});
  const std::string log = log_of_gpu({&sim}, "no driver");
  const std::string line =
      "'gpu' is 'sim' here, because there is no 'cuda' (cuda: no driver); name the device type "
      "that "
      "is meant";
  EXPECT_THAT(log, HasSubstr(line));
  EXPECT_EQ(log.find(line), log.rfind(line));
  EXPECT_THAT(log_of_gpu({&sim}, ""), HasSubstr("there is no 'cuda' (no plugin brings one)"));
  FakeBackend liar({.type = "cuda", .count = 1'000'000});
  EXPECT_THAT(log_of_gpu({&sim, &liar}, ""), HasSubstr("its count gave 1000000 devices"));
}

TEST(DeviceManagerTest, NothingIsToldOfGpuThatIsCudaNorOfWhetherThereIsOne) {
  FakeBackend sim({.type = "sim"});
  FakeBackend cuda({.type = "cuda"});
  EXPECT_EQ(log_of_gpu({&sim, &cuda}, ""), "");
  DeviceManager manager(source_of({&sim}));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(manager.count("gpu"), 1U);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(DeviceManagerTest, GpuWithoutAcceleratorGivesTheReasons) {
  FakeBackend cpu({.type = "cpu", .flags = kHostFlags});
  DeviceManager manager(source_of({&cpu}, "not an accelerator"));
  try {
    (void)manager.resolve(Place("gpu"), Place());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "[device] there is no accelerator for 'gpu'; there are cpu");
    EXPECT_EQ(error.details(), "cpu: not an accelerator\ngpu: not an accelerator");
  }
}

TEST(DeviceManagerTest, BareTypeTakesTheIndexOfThePreferredPlace) {
  DeviceManager manager(source_of({}));
  EXPECT_EQ(manager.resolve(Place("sim"), Place("sim:3")).to_string(), "sim:3");
  EXPECT_EQ(manager.resolve(Place("sim"), Place("cuda:3")).to_string(), "sim:0");
  EXPECT_EQ(manager.resolve(Place("sim:1"), Place("sim:3")).to_string(), "sim:1");
}

TEST(DeviceManagerTest, BetterScoreWinsBetweenBackendsOfAType) {
  FakeBackend worse({.type = "sim", .count = 1, .score = 1});
  FakeBackend better({.type = "sim", .count = 3, .score = 2});
  DeviceManager manager(source_of({&worse}));
  manager.add_source(source_of({&better}));
  EXPECT_EQ(manager.count("sim"), 3U);
}

TEST(DeviceManagerTest, ACountBeyondTheLimitIsRefusedWithThePluginsName) {
  FakeBackend liar({.type = "liar", .count = 1'000'000, .score = 90});
  FakeBackend sim({.type = "sim", .count = 2});
  DeviceManager manager(source_of({&liar, &sim}));
  EXPECT_THAT([&] { (void)manager.count("liar"); },
              ThrowsMessage<Error>(AllOf(HasSubstr(liar.backend().plugin->id()),
                                         HasSubstr("its count gave 1000000 devices"))));
  EXPECT_THAT([&] { (void)manager.get(Place("liar")); },
              ThrowsMessage<Error>(HasSubstr("its count gave 1000000 devices")));
  EXPECT_THAT([&] { (void)manager.get(Place("foo")); },
              ThrowsMessage<Error>(HasSubstr("there are sim:0, sim:1")));
  EXPECT_EQ(manager.get(Place("gpu")).place().to_string(), "sim:0");
}

TEST(DeviceManagerTest, WhatEscapesCountingAndDescribingIsAnError) {
  FakeBackend liar({.type = "liar"});
  DeviceManager manager(source_of({&liar}));
  liar.backend().api.describe = [](loci_plugin*, std::uint32_t, loci_device_info*) -> loci_error* {
    throw 42;
  };
  EXPECT_THAT([&] { (void)manager.get(Place("gpu")); },
              ThrowsMessage<Error>(HasSubstr("its describe of liar:0 let an exception escape")));
  liar.backend().api.count = [](loci_plugin*, std::uint32_t*) -> loci_error* { throw 42; };
  EXPECT_THAT([&] { (void)manager.places(); },
              ThrowsMessage<Error>(HasSubstr("its count let an exception escape")));
}

TEST(DeviceManagerTest, FailureToOpenIsNotKept) {
  FakeBackend fake;
  DeviceManager manager(source_of({&fake}));
  fake.fail_next("open", ErrorCode::kUnavailable, "busy");
  EXPECT_THAT([&] { (void)manager.get(Place("fake")); }, ThrowsMessage<Error>(HasSubstr("busy")));
  EXPECT_EQ(manager.get(Place("fake")).place(), Place("fake:0"));
}

}  // namespace
}  // namespace loci::device
