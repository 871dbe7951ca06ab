#include "framework/plugin/foreign_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/framework/plugin/load_error_matcher.h"

namespace loci::plugin {
namespace {

using test::load_error_of;

TEST(ForeignCall, GivesTheResult) {
  EXPECT_EQ(call_plugin("probe", [] { return 7; }), 7);
}

TEST(ForeignCall, LetsNoExceptionEscape) {
  EXPECT_EQ(load_error_of([] {
              call_plugin("probe", []() -> int { throw std::runtime_error("no device"); });
            }).cause(),
            "its probe let an exception escape: no device");
  EXPECT_EQ(load_error_of([] { call_plugin("probe", []() -> int { throw 1; }); }).cause(),
            "its probe let an exception escape: of a type that is not a std::exception");
}

struct NamedPlugin : Plugin {
  [[nodiscard]] const std::string& id() const override { return id_; }
  [[nodiscard]] const std::string& path() const override { return id_; }
  [[nodiscard]] loci_plugin* handle() const override { return nullptr; }
  std::string id_ = "org.example.x";
};

TEST(ForeignCall, BlamesThePluginInUse) {
  const NamedPlugin plugin;
  EXPECT_EQ(blaming(plugin, [] { return 7; }), 7);
  try {
    blaming(plugin, [] { return call_plugin("open", []() -> int { throw 1; }); });
    FAIL() << "no error";
  } catch (const LoadError&) {
    FAIL() << "the plugin is not named";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInternal);
    EXPECT_THAT(error.what(), testing::StartsWith("[plugin] org.example.x: its open let an"));
  }
  EXPECT_THROW(blaming(plugin, []() -> int { throw Error(ErrorCode::kFailed, "its own"); }), Error);
}

TEST(ForeignCall, TellsAWatchBeforeEachCall) {
  std::vector<std::string> told;
  const CallWatch::Function tell = [&told](std::string_view name) { told.emplace_back(name); };
  {
    const CallWatch watch(tell);
    call_plugin("create", [&told] {
      EXPECT_EQ(told.size(), 1U);
      return 0;
    });
    announce_call("load");
    std::thread([] { announce_call("elsewhere"); }).join();
  }
  announce_call("later");
  EXPECT_THAT(told, testing::ElementsAre("create", "load"));
}

}  // namespace
}  // namespace loci::plugin
