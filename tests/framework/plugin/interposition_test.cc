#include "framework/plugin/interposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/plugin/loader.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

int creations = 0;
std::string seen_path;

// Counts the plugin's instances.
const loci_plugin_desc* count_creations(const std::string& path, const loci_plugin_desc* desc) {
  static decltype(desc->create) create = nullptr;
  static loci_plugin_desc counting;
  seen_path = path;
  create = desc->create;
  counting = *desc;
  counting.create = [](const loci_host_api* host, const loci_kv* options, std::uint64_t count,
                       loci_plugin** out_plugin) {
    ++creations;
    return create(host, options, count, out_plugin);
  };
  return &counting;
}

class Interposition : public testing::Test {
 protected:
  ~Interposition() override { set_interposer(nullptr); }

  static Record load(const std::string& path) {
    Record record;
    record.report.path = path;
    examine(record);
    NameOwners owners;
    activate(record, owners);
    return record;
  }

  test::PluginFolder folder_;
};

TEST_F(Interposition, ThePluginIsCalledThroughTheOtherDescriptor) {
  set_interposer(count_creations);
  const std::string path = folder_.add("minimal").string();
  creations = 0;
  const Record record = load(path);
  EXPECT_EQ(record.report.stage, plugins::Stage::kActive) << record.report.cause;
  EXPECT_EQ(creations, 1);
  EXPECT_EQ(seen_path, path);
}

TEST_F(Interposition, WithoutOneThePluginIsCalledItself) {
  creations = 0;
  set_interposer(count_creations);
  set_interposer(nullptr);
  EXPECT_EQ(load(folder_.add("minimal").string()).report.stage, plugins::Stage::kActive);
  EXPECT_EQ(creations, 0);
  const loci_plugin_desc desc{};
  EXPECT_EQ(interposed("any", &desc), &desc);
}

}  // namespace
}  // namespace loci::plugin
