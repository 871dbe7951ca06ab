#include <gtest/gtest.h>
#include <loci/abi/device.h>

#include <string>
#include <vector>

#include "framework/device/backend_tables.h"
#include "framework/plugin/foreign_call.h"
#include "tests/support/fake_device.h"

namespace loci::device {
namespace {

// Returns the calls that try_devices() makes of a backend of the fake.
std::vector<std::string> steps_of(const DeviceBackend& backend) {
  std::vector<std::string> steps;
  const plugin::CallWatch::Function told = [&](std::string_view step) { steps.emplace_back(step); };
  const plugin::CallWatch watch(told);
  try_devices(backend);
  return steps;
}

TEST(DeviceTrial, OpensAndClosesEachDevice) {
  test::FakeBackend fake({.type = "trial", .count = 2});
  const std::vector<std::string> expected{"count",
                                          "describe of trial:0",
                                          "open of trial:0",
                                          "close of trial:0",
                                          "describe of trial:1",
                                          "open of trial:1",
                                          "close of trial:1"};
  EXPECT_EQ(steps_of(fake.backend()), expected);
}

TEST(DeviceTrial, OpensNoMoreThanTheFirstSixteen) {
  test::FakeBackend fake({.type = "trial", .count = 18});
  EXPECT_EQ(steps_of(fake.backend()).size(), 1U + 16 * 3 + 2);
}

TEST(DeviceTrial, AsksNothingWithoutAScore) {
  test::FakeBackend fake({.type = "trial"});
  DeviceBackend absent = fake.backend();
  absent.score = 0;
  EXPECT_TRUE(steps_of(absent).empty());
}

}  // namespace
}  // namespace loci::device
