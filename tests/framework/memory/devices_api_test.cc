#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <loci/devices.hpp>
#include <loci/error.hpp>
#include <loci/tensor.hpp>
#include <memory>

#include "tests/support/fake_device.h"

namespace loci {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Two devices of type "fake", in the manager that the API uses.
class DevicesApiTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    // Never destroyed: the manager keeps its devices open until the process ends.
    static auto& fake = *new test::FakeBackend({.count = 2});
    static const bool kAdded = [] {
      device::DeviceManager::instance().add_source(
          std::make_unique<test::FakeSource>(std::vector<test::FakeBackend*>{&fake}, "it is fake"));
      return true;
    }();
    (void)kAdded;
    fake_ = &fake;
  }

  static inline test::FakeBackend* fake_ = nullptr;
};

TEST_F(DevicesApiTest, CountsWithoutOpening) {
  const auto open = fake_->counters().open_devices.load();
  EXPECT_EQ(device_count("fake"), 2);
  EXPECT_EQ(device_count("nosuch"), 0);
  EXPECT_TRUE(is_available("fake"));
  EXPECT_TRUE(is_available("fake:1"));
  EXPECT_FALSE(is_available("fake:2"));
  EXPECT_FALSE(is_available("nosuch"));
  EXPECT_EQ(fake_->counters().open_devices.load(), open);
}

TEST_F(DevicesApiTest, ListsEveryDevice) {
  const std::vector<Place> all = devices();
  EXPECT_EQ(std::count(all.begin(), all.end(), Place("fake:0")), 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), Place("fake:1")), 1);
}

TEST_F(DevicesApiTest, TellsWhatTheBackendStates) {
  const DeviceProperties properties = device_properties("fake:1");
  EXPECT_EQ(properties.place, Place("fake:1"));
  const device::Device& device = device::DeviceManager::instance().get("fake:1");
  EXPECT_EQ(properties.name, device.info().name);
  EXPECT_NE(properties.name, "");
  EXPECT_EQ(properties.plugin, device.plugin().id());
  EXPECT_EQ(properties.total_memory, fake_->options().memory);
  EXPECT_TRUE(properties.is_accelerator);
  EXPECT_FALSE(properties.uses_host_memory);
  EXPECT_TRUE(properties.is_queued);
}

TEST_F(DevicesApiTest, GpuStandsForTheAccelerator) {
  EXPECT_GT(device_count("gpu"), 0);
  EXPECT_TRUE(is_available("gpu"));
  EXPECT_NE(device_properties("gpu").place.type(), "gpu");
  EXPECT_TRUE(device_properties("gpu").is_accelerator);
}

TEST_F(DevicesApiTest, AnAbsentDeviceIsNamedWithThoseThatThereAre) {
  EXPECT_THAT([] { (void)device_properties("fake:2"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("no device 'fake:2'"), HasSubstr("fake:1"))));
  EXPECT_THAT([] { (void)memory_use("nosuch"); },
              ThrowsMessage<Error>(HasSubstr("no device 'nosuch:0'")));
}

TEST_F(DevicesApiTest, EmptyCacheGivesBackWhatIsFree) {
  for (const Place& place : {Place("cpu"), Place("fake:0")}) {
    { const Tensor x = Tensor::empty({5 << 20}, kFloat32, place); }
    EXPECT_GE(memory_use(place).cached, 20U << 20);
    empty_cache(place);
    EXPECT_LT(memory_use(place).cached, 20U << 20);
    { const Tensor x = Tensor::empty({5 << 20}, kFloat32, place); }
    empty_cache();
    EXPECT_LT(memory_use(place).cached, 20U << 20);
  }
  EXPECT_THAT([] { empty_cache(Place("fake:7")); }, ThrowsMessage<Error>(HasSubstr("fake:7")));
}

TEST_F(DevicesApiTest, MemoryUseFollowsTensors) {
  constexpr std::uint64_t kBytes = std::uint64_t{4} << 20;
  for (const char* place : {"cpu", "fake:0"}) {
    const MemoryUse before = memory_use(place);
    {
      const Tensor tensor = Tensor::empty({static_cast<std::int64_t>(kBytes / 4)}, kFloat32, place);
      EXPECT_GE(memory_use(place).in_use, before.in_use + kBytes) << place;
    }
    EXPECT_EQ(memory_use(place).in_use, before.in_use) << place;
    EXPECT_GE(memory_use(place).peak_in_use, before.in_use + kBytes) << place;
  }
}

}  // namespace
}  // namespace loci
