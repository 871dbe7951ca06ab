// The plugin through its C tables, with a tool attached as NVIDIA's are.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/plugins/reporter_nvtx/fakes.h"
#include "tests/support/reporter_driver.h"

namespace loci::testing {
namespace {

class Plugin {
 public:
  Plugin() : desc_(open_plugin(test::plugin_file("reporter_nvtx"))(&info_)) {
    host_.check(desc_->create(&host_.api(), nullptr, 0, &plugin_));
  }
  ~Plugin() { desc_->destroy(plugin_); }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  [[nodiscard]] std::string_view id() const { return sdk::to_view(desc_->id); }
  [[nodiscard]] loci_reporter_def def() const {
    const void* table = nullptr;
    host_.check(
        desc_->get_interface(plugin_, sdk::to_abi(LOCI_PROFILE_REPORTER_INTERFACE), 0, &table));
    std::uint64_t count = 0;
    return *static_cast<const loci_profile_reporter_api*>(table)->defs(plugin_, &count);
  }
  [[nodiscard]] loci_reporter* create() const {
    loci_reporter* reporter = nullptr;
    host_.check(def().create(plugin_, nullptr, 0, &reporter));
    return reporter;
  }

 private:
  TestHost host_;
  loci_host_info info_{sizeof(loci_host_info)};
  const loci_plugin_desc* desc_;
  loci_plugin* plugin_ = nullptr;
};

TEST(NvtxPluginTest, LiveRangesReachTheTool) {
  setenv("NVTX_INJECTION64_PATH", test::kFakeInjection.c_str(), 1);
  const Plugin plugin;
  EXPECT_EQ(plugin.id(), "org.loci.reporter.nvtx");
  const loci_reporter_def def = plugin.def();
  EXPECT_EQ(sdk::to_view(def.name), "nvtx");
  EXPECT_EQ(def.report, nullptr);
  ASSERT_NE(def.range_begin, nullptr);

  loci_reporter* reporter = plugin.create();
  loci_profile_label label{};
  label.name = sdk::to_abi("mul");
  void* tool = dlopen(test::kFakeInjection.c_str(), RTLD_LAZY | RTLD_LOCAL);
  const auto heard = reinterpret_cast<const char* (*)()>(dlsym(tool, "fake_tool_heard"));
  const std::string before = heard();
  def.range_begin(reporter, &label);
  def.range_end(reporter);
  EXPECT_EQ(heard(), before + "<mul>");
  def.destroy(reporter);
}

}  // namespace
}  // namespace loci::testing
