#include "framework/reporting/external_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <loci/timer.hpp>
#include <thread>

#include "framework/core/log.h"
#include "framework/device/device_manager.h"
#include "tests/support/fake_device.h"

namespace loci::reporting {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Counts for the backends of these tests, of which each has a type of its own.
std::atomic<int> begins{0};
std::atomic<int> ends{0};

// One that records nothing, for the sessions of other tests.
loci_profile_source_api source() {
  loci_profile_source_api api{};
  api.struct_size = sizeof api;
  api.start = [](loci_plugin*, std::uint32_t, const loci_profile_sink*) -> loci_error* {
    return nullptr;
  };
  api.flush = [](loci_plugin*) -> loci_error* { return nullptr; };
  api.stop = [](loci_plugin*) -> loci_error* { return nullptr; };
  return api;
}

void open(const std::string& type, std::uint32_t devices = 1) {
  loci_profile_source_api api = source();
  api.external_range_begin = [](loci_plugin*) -> loci_error* {
    ++begins;
    return nullptr;
  };
  api.external_range_end = [](loci_plugin*) -> loci_error* {
    ++ends;
    return nullptr;
  };
  test::add_fake_backend({.type = type, .count = devices}).backend().profile_source = api;
  for (std::uint32_t i = 0; i < devices; ++i) {
    device::DeviceManager::instance().get(Place(type, static_cast<int>(i)));
  }
}

// Backends of earlier tests stay open, so that the tests count what comes more.
class ExternalRangeTest : public ::testing::Test {
 protected:
  static int begins_of_one_range() {
    const int before = begins;
    { LOCI_GPU_PROFILER("probe", ""); }
    return begins - before;
  }
};

TEST_F(ExternalRangeTest, TellsEachBackendOnceHoweverManyDevicesAreOpen) {
  const int before = begins_of_one_range();
  open("rangea", 2);
  EXPECT_EQ(begins_of_one_range(), before + 1);
  EXPECT_EQ(begins, ends);
}

TEST_F(ExternalRangeTest, OnlyTheOutermostCounts) {
  open("rangeb");
  const int each = begins_of_one_range();
  const int before = begins;
  {
    LOCI_GPU_PROFILER("outer", "");
    {
      LOCI_GPU_PROFILER("inner", "");
      EXPECT_EQ(begins, before + each);
    }
    EXPECT_EQ(ends, before);
  }
  EXPECT_EQ(ends, before + each);
}

TEST_F(ExternalRangeTest, ThreadsDoNotWaitForEachOther) {
  open("rangec");
  const int before = begins;
  {
    LOCI_GPU_PROFILER("here", "");
    std::thread([] { LOCI_GPU_PROFILER("there", ""); }).join();
    EXPECT_EQ(ends, before);
  }
  EXPECT_EQ(ends, begins);
}

TEST_F(ExternalRangeTest, IsSafeWithoutADeviceOrASource) {
  test::add_fake_backend({.type = "ranged"});
  device::DeviceManager::instance().get(Place("ranged:0"));
  EXPECT_NO_THROW(begins_of_one_range());
}

TEST_F(ExternalRangeTest, ABackendThatFailsIsNotToldOfTheEnd) {
  open("rangee");
  loci_profile_source_api failing = source();
  failing.external_range_begin = [](loci_plugin*) {
    auto* backend = &test::add_fake_backend({.type = "rangeerror"});
    backend->fail_next("external_range_begin", ErrorCode::kFailed, "not now");
    return backend->take_fault("external_range_begin");
  };
  static std::atomic<int> failing_ends{0};
  failing.external_range_end = [](loci_plugin*) -> loci_error* {
    ++failing_ends;
    return nullptr;
  };
  test::add_fake_backend({.type = "rangef"}).backend().profile_source = failing;
  device::DeviceManager::instance().get(Place("rangef:0"));
  ::testing::internal::CaptureStderr();
  EXPECT_GE(begins_of_one_range(), 1);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("the profile source's external_range_begin failed: not now"));
  EXPECT_EQ(failing_ends, 0);
}

TEST_F(ExternalRangeTest, LogsTheOutermost) {
  core::set_log_levels("profiler=info");
  ::testing::internal::CaptureStderr();
  {
    LOCI_GPU_PROFILER("testBilinearFwdBwd", "numSamples = 10");
    LOCI_GPU_PROFILER("inner", "");
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  core::set_log_levels("profiler=warn");
  EXPECT_THAT(log, HasSubstr("Enable GPU Profiler Stat: [testBilinearFwdBwd] \"numSamples = 10\""));
  EXPECT_THAT(log, Not(HasSubstr("inner")));
}

}  // namespace
}  // namespace loci::reporting
