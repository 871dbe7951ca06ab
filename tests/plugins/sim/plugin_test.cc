// The plugin through its C tables, as a host sees it.
#include "tests/support/kernel_driver.h"
#include "tests/support/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci::testing {
namespace {

using ::testing::HasSubstr;

std::string text(loci_str value) { return {value.data, value.size}; }

TEST(SimPluginTest, BringsDevicesAndKernelsOfTypeSim) {
  DrivenPlugin plugin(open_plugin(test::plugin_file("sim")), {{"devices", "3"}});
  EXPECT_EQ(text(plugin.devices().device_type), "sim");
  EXPECT_EQ(text(plugin.kernels().device_type), "sim");
  std::uint32_t count = 0;
  plugin.host().check(plugin.devices().count(plugin.plugin(), &count));
  EXPECT_EQ(count, 3U);
  std::int32_t score = 0;
  loci_str reason{};
  plugin.host().check(plugin.devices().probe(plugin.plugin(), &score, &reason));
  EXPECT_GT(score, 0);
}

TEST(SimPluginTest, AMalformedSettingKeepsItFromStarting) {
  try {
    const DrivenPlugin plugin(open_plugin(test::plugin_file("sim")), {{"devices", "many"}});
    FAIL() << "the setting is wrong";
  } catch (const PluginError& error) {
    EXPECT_EQ(error.code(), LOCI_CODE_INVALID_ARGUMENT);
    EXPECT_STREQ(error.what(), "[sim] LOCI_SIM: devices is 'many'; give an integer from 1 to 64");
  }
}

TEST(SimPluginTest, FillsEveryFunctionOfAQueuedDevice) {
  DrivenPlugin plugin(open_plugin(test::plugin_file("sim")));
  const loci_device_api& api = plugin.devices();
  EXPECT_NE(api.mem_alloc, nullptr);
  EXPECT_NE(api.host_register, nullptr);
  EXPECT_NE(api.copy, nullptr);
  EXPECT_NE(api.fill, nullptr);
  EXPECT_NE(api.stream_wait_event, nullptr);
  EXPECT_NE(api.launch_host, nullptr);
  EXPECT_NE(api.event_elapsed_ns, nullptr);
  EXPECT_NE(api.synchronize, nullptr);
  EXPECT_NE(api.take_async_error, nullptr);
  EXPECT_NE(api.native_handle, nullptr);
}

TEST(SimPluginTest, StatesThePrioritiesOfItsStreams) {
  DrivenPlugin plugin(open_plugin(test::plugin_file("sim")));
  loci_device_info info{};
  info.struct_size = sizeof info;
  plugin.host().check(plugin.devices().describe(plugin.plugin(), 0, &info));
  EXPECT_EQ(info.least_priority, 0);
  EXPECT_EQ(info.greatest_priority, -2);
}

TEST(SimPluginTest, KernelsThatWereNeverLaunchedGoAway) {
  DrivenPlugin plugin(open_plugin(test::plugin_file("sim")));
  const Call call{"relu", {empty_like(LOCI_DTYPE_F32, {4})}, {{LOCI_DTYPE_F32, {4}}}};
  EXPECT_EQ(plugin.implementation_of(call), "portable");
  // The driver gives no stream, which a queued device has to refuse.
  EXPECT_THAT([&] { plugin.run(call); },
              ::testing::ThrowsMessage<PluginError>(HasSubstr("the launch of relu got no stream")));
  EXPECT_EQ(plugin.host().live_errors(), 0);
}

}  // namespace
}  // namespace loci::testing
