#include "framework/plugin/host_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/core/config.h"
#include "framework/core/log.h"
#include "framework/plugin/layout_table.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using test::EnvironmentGuard;
using testing::HasSubstr;

class HostTableTest : public testing::Test {
 protected:
  std::string config(const char* key) {
    return std::string(core::from_abi(api_.config_get(api_.host, core::to_abi(key))));
  }

  HostTable table_{"org.loci.my-device", "/plugins/loci-my.so"};
  const loci_host_api& api_ = table_.api();
};

TEST_F(HostTableTest, IsComplete) {
  EXPECT_EQ(api_.struct_size, sizeof(loci_host_api));
  EXPECT_EQ(api_.minor, static_cast<std::uint32_t>(LOCI_ABI_MINOR));
  // Every member behind the first three is a function.
  const char* bytes = reinterpret_cast<const char*>(&api_);
  for (std::size_t at = offsetof(loci_host_api, host); at < sizeof api_; at += sizeof(void*)) {
    void* member = nullptr;
    std::memcpy(&member, bytes + at, sizeof member);
    EXPECT_NE(member, nullptr) << at;
  }
  EXPECT_EQ(api_.get_interface(api_.host, core::to_abi("loci.unknown"), 9), nullptr);
}

TEST_F(HostTableTest, TellsWhereThePluginLies) {
  EXPECT_EQ(core::from_abi(api_.library_path(api_.host)), "/plugins/loci-my.so");
}

TEST_F(HostTableTest, ErrorsCarryTheirCauses) {
  loci_error* root = api_.error_make(api_.host, LOCI_CODE_FAILED, core::to_abi("root"), nullptr);
  loci_error* top = api_.error_make(api_.host, LOCI_CODE_UNSUPPORTED, core::to_abi("top"), root);
  EXPECT_EQ(api_.error_code(top), LOCI_CODE_UNSUPPORTED);
  EXPECT_EQ(core::from_abi(api_.error_message(top)), "top");
  EXPECT_EQ(api_.error_cause(top), root);
  EXPECT_EQ(api_.error_cause(root), nullptr);
  api_.error_release(top);
  api_.error_release(nullptr);

  loci_error* empty = api_.error_make(api_.host, LOCI_CODE_FAILED, {nullptr, 5}, nullptr);
  EXPECT_EQ(core::from_abi(api_.error_message(empty)), "");
  api_.error_release(empty);
}

TEST_F(HostTableTest, TextsOfAWildLengthAreNotRead) {
  const loci_str wild{"x", std::uint64_t{1} << 60};
  loci_error* error = api_.error_make(api_.host, LOCI_CODE_FAILED, wild, nullptr);
  EXPECT_THAT(std::string(core::from_abi(api_.error_message(error))), HasSubstr("was not read"));
  api_.error_release(error);
  EXPECT_EQ(api_.config_get(api_.host, wild).size, 0u);
  EXPECT_EQ(api_.layout_intern(api_.host, wild, 1), api_.layout_intern(api_.host, wild, 1));
  api_.log(api_.host, LOCI_LOG_ERROR, wild, "file.cc", 1);
}

TEST_F(HostTableTest, MemoryIsAligned) {
  for (const std::uint64_t alignment : {0, 1, 16, 64, 4096}) {
    for (const std::uint64_t bytes : {0, 1, 100, 5000}) {
      void* memory = api_.memory_alloc(api_.host, bytes, alignment);
      ASSERT_NE(memory, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % std::max<std::uint64_t>(alignment, 1),
                0u);
      std::memset(memory, 1, bytes);
      api_.memory_free(api_.host, memory);
    }
  }
  EXPECT_EQ(api_.memory_alloc(api_.host, 64, 48), nullptr);
  EXPECT_EQ(api_.memory_alloc(api_.host, ~std::uint64_t{0}, 64), nullptr);
  api_.memory_free(api_.host, nullptr);
}

TEST_F(HostTableTest, ParallelForCoversTheRangeOnce) {
  std::vector<int> visits(10000, 0);
  api_.parallel_for(
      api_.host, 0, 10000, 100,
      [](void* context, std::int64_t begin, std::int64_t end, std::uint32_t) {
        for (std::int64_t i = begin; i < end; ++i) ++static_cast<int*>(context)[i];
      },
      visits.data());
  EXPECT_THAT(visits, testing::Each(1));
  EXPECT_GE(api_.parallel_width(api_.host), 1u);
}

TEST_F(HostTableTest, TheClockDoesNotGoBack) {
  const std::uint64_t before = api_.now_ns(api_.host);
  EXPECT_GE(api_.now_ns(api_.host), before);
  EXPECT_GT(before, 0u);
}

TEST_F(HostTableTest, ConfigurationIsNamedAfterThePlugin) {
  const EnvironmentGuard score("LOCI_MY_DEVICE_SCORE", "7");
  const EnvironmentGuard other("LOCI_MY_SCORE", "8");
  EXPECT_EQ(config("score"), "7");
  EXPECT_EQ(config("SCORE"), "7");
  EXPECT_EQ(config("absent"), "");
  EXPECT_EQ(api_.config_get(api_.host, core::to_abi("absent")).data, nullptr);
}

TEST_F(HostTableTest, TheEmptyKeyIsThePluginsOwnVariable) {
  EXPECT_EQ(api_.config_get(api_.host, core::to_abi("")).data, nullptr);
  const EnvironmentGuard own("LOCI_MY_DEVICE", "a=1,b=2");
  EXPECT_EQ(config(""), "a=1,b=2");
}

TEST_F(HostTableTest, ConfiguredValuesStayValid) {
  const EnvironmentGuard guard("LOCI_MY_DEVICE_CHUNK_SIZE", "12");
  const loci_str before = api_.config_get(api_.host, core::to_abi("chunk-size"));
  core::set_config_value("MY_DEVICE_CHUNK_SIZE", "13");
  EXPECT_EQ(config("chunk_size"), "13");
  EXPECT_EQ(core::from_abi(before), "12");
}

TEST_F(HostTableTest, OptionsAreAllThatIsConfigured) {
  const EnvironmentGuard one("LOCI_MY_DEVICE_ONE", "1");
  const EnvironmentGuard two("LOCI_MY_DEVICE_TWO", "x=y");
  const EnvironmentGuard none("LOCI_MY_DEVICE_", "no name");
  core::set_config_value("MY_DEVICE_ONE", "uno");
  std::vector<std::string> seen;
  for (const loci_kv& entry : table_.options()) {
    seen.push_back(std::string(core::from_abi(entry.key)) + "=" +
                   std::string(core::from_abi(entry.value)));
  }
  EXPECT_THAT(seen, testing::IsSupersetOf({"one=uno", "two=x=y"}));
  EXPECT_THAT(seen, testing::Not(testing::Contains("=no name")));
}

TEST_F(HostTableTest, SettingsAreTheVariablesOfThePlugin) {
  const EnvironmentGuard own("LOCI_MY_DEVICE", "fast");
  const EnvironmentGuard key("LOCI_MY_DEVICE_MODE", "x");
  const auto settings = settings_of("org.loci.my-device");
  ASSERT_FALSE(settings.empty());
  EXPECT_THAT(settings.front(), testing::Pair("", "fast"));
  EXPECT_THAT(settings, testing::Contains(testing::Pair("MODE", "x")));
  EXPECT_THAT(settings_of("org.loci.another"), testing::IsEmpty());
}

TEST_F(HostTableTest, LayoutsAreOfThePlugin) {
  const std::uint32_t id = api_.layout_intern(api_.host, core::to_abi("blocked16"), 4096);
  EXPECT_EQ(api_.layout_intern(api_.host, core::to_abi("blocked16"), 4096), id);
  EXPECT_NE(api_.layout_intern(api_.host, core::to_abi("blocked16"), 8192), id);
  ASSERT_NE(find_layout(id), nullptr);
  EXPECT_EQ(find_layout(id)->plugin, "org.loci.my-device");
  const HostTable other("org.loci.other", "/plugins/loci-other.so");
  EXPECT_NE(other.api().layout_intern(other.api().host, core::to_abi("blocked16"), 4096), id);
}

TEST_F(HostTableTest, LogLinesNameThePlugin) {
  core::set_log_levels("plugin=info");
  EXPECT_EQ(api_.log_enabled(api_.host, LOCI_LOG_DEBUG), 0);
  EXPECT_EQ(api_.log_enabled(api_.host, LOCI_LOG_INFO), 1);
  EXPECT_EQ(api_.log_enabled(api_.host, 1000), 1);
  testing::internal::CaptureStderr();
  api_.log(api_.host, LOCI_LOG_INFO, core::to_abi("{} opened"), "device.c", 12);
  api_.log(api_.host, LOCI_LOG_DEBUG, core::to_abi("not kept"), nullptr, 0);
  api_.log(api_.host, LOCI_LOG_WARN, core::to_abi("no file"), nullptr, 0);
  const std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_THAT(lines, HasSubstr("device.c:12] [org.loci.my-device] {} opened"));
  EXPECT_THAT(lines, HasSubstr("no file"));
  EXPECT_THAT(lines, testing::Not(HasSubstr("not kept")));
}

}  // namespace
}  // namespace loci::plugin
