#include "plugins/report_data/rates.h"

#include <gtest/gtest.h>

#include <loci/plugin/error.hpp>

namespace loci::report {
namespace {

TEST(RatesTest, GigabyteInTenMillisecondsIsHundredGigabytesPerSecond) {
  EXPECT_DOUBLE_EQ(rate(1'000'000'000, 10'000'000), 1e11);
  EXPECT_EQ(rate(5, 0), 0.0);
}

// A node of 100 ns at `place`, a copy of 50 ns from there to cpu, and the devices that there are.
struct Work {
  explicit Work(const char* place) {
    labels[0].place = sdk::to_abi(place);
    labels[1].source = sdk::to_abi(place);
    labels[1].target = sdk::to_abi("cpu");
    devices[0].place = sdk::to_abi("sim:0");
    devices[0].is_queued = 1;
    devices[1].place = sdk::to_abi("cpu");
    profile.labels = labels;
    profile.label_count = 2;
    profile.devices = devices;
    profile.device_count = 2;
    node.total_ns = 100;
    copy.label = 1;
    copy.calls = 2;
    copy.host_ns = 50;
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  loci_profile_label labels[2]{};
  loci_profile_device devices[2]{};
  loci_profile profile{};
  loci_profile_node node{};
  loci_profile_copy copy{};
};

TEST(RatesTest, DevicesTimeGoesBeforeTheHosts) {
  Work work("sim:0");
  work.node.device_ns = 90;
  work.node.device_union_ns = 60;
  work.copy.device_ns = 5;
  EXPECT_EQ(busy_ns(work.profile, work.node), 60U);
  EXPECT_EQ(busy_ns(work.profile, work.copy), 5U);
}

TEST(RatesTest, HostsTimeIsThatOfWorkOnTheHost) {
  const Work work("cpu");
  EXPECT_EQ(busy_ns(work.profile, work.node), 100U);
  EXPECT_EQ(busy_ns(work.profile, work.copy), 50U);
}

// A launch says nothing of how long the work takes.
TEST(RatesTest, WorkThatAQueuedDeviceDidNotReportTakesUnknownTime) {
  Work work("sim:0");
  EXPECT_EQ(busy_ns(work.profile, work.node), 0U);
  EXPECT_EQ(busy_ns(work.profile, work.copy), 0U);
  work.copy.waited = 1;
  EXPECT_EQ(busy_ns(work.profile, work.copy), 0U);
  work.copy.waited = 2;
  EXPECT_EQ(busy_ns(work.profile, work.copy), 50U);
}

}  // namespace
}  // namespace loci::report
