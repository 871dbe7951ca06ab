#include "framework/device/device_count.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <loci/abi/host.h>

#include "framework/plugin/host_table.h"
#include "tests/framework/plugin/load_error_matcher.h"

namespace loci::device {
namespace {

using test::load_error_of;

std::uint32_t stated_count = 0;
bool has_fault = false;

struct Counting : plugin::Plugin {
  [[nodiscard]] const std::string& id() const override { return id_; }
  [[nodiscard]] const std::string& path() const override { return id_; }
  [[nodiscard]] loci_plugin* handle() const override { return nullptr; }
  std::string id_ = "org.example.counting";
};

loci_error* give_count(loci_plugin*, std::uint32_t* out_count) {
  static const plugin::HostTable host("org.example.counting", "/counting.so");
  *out_count = stated_count;
  if (!has_fault) return nullptr;
  return host.api().error_make(host.api().host, LOCI_CODE_UNAVAILABLE, {"no driver", 9}, nullptr);
}

class DeviceCount : public testing::Test {
 protected:
  DeviceCount() {
    backend_.plugin = &plugin_;
    backend_.api.count = give_count;
    has_fault = false;
  }

  Counting plugin_;
  DeviceBackend backend_;
};

TEST_F(DeviceCount, IsWhatTheBackendSays) {
  for (const std::uint32_t number : {0, 1, LOCI_MAX_DEVICES}) {
    stated_count = number;
    EXPECT_EQ(count_devices(backend_), number);
  }
}

TEST_F(DeviceCount, HasALimit) {
  for (const std::uint32_t number : {LOCI_MAX_DEVICES + 1U, 1'000'000U, UINT32_MAX}) {
    stated_count = number;
    EXPECT_EQ(load_error_of([this] { count_devices(backend_); }).cause(),
              "its count gave " + std::to_string(number) + " devices; there are at most 1024");
  }
}

TEST_F(DeviceCount, GivesTheBackendsError) {
  has_fault = true;
  const plugin::LoadError error = load_error_of([this] { count_devices(backend_); });
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_EQ(error.cause(), "its count failed: no driver");
}

}  // namespace
}  // namespace loci::device
