#include "framework/plugin/instance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "framework/plugin/library.h"
#include "framework/plugin/negotiation.h"
#include "tests/framework/plugin/load_error_matcher.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using test::EnvironmentGuard;
using test::load_error_of;

Instance start(const std::string& name) {
  const std::string path = test::built_plugin(name).string();
  const loci_host_info info = host_info(this_host());
  return {"org.loci.test." + name, path, *Library(path, {}).query_function()(&info)};
}

LoadError error_with(const char* fault) {
  const EnvironmentGuard guard("LOCI_TEST_FAULT", fault);
  return load_error_of([] { start("faulty"); });
}

TEST(Instance, LivesUntilItIsDestroyed) {
  Instance instance = start("faulty");
  EXPECT_EQ(instance.id(), "org.loci.test.faulty");
  EXPECT_EQ(instance.path(), test::built_plugin("faulty").string());
  EXPECT_NE(instance.handle(), nullptr);
  EXPECT_EQ(instance.live_objects(), 0);
  ::unsetenv("LOCI_TEST_DESTROYED");
  instance.destroy();
  EXPECT_STREQ(std::getenv("LOCI_TEST_DESTROYED"), "1");
  EXPECT_EQ(instance.handle(), nullptr);
  ::unsetenv("LOCI_TEST_DESTROYED");
  instance.destroy();
  EXPECT_EQ(std::getenv("LOCI_TEST_DESTROYED"), nullptr);
}

TEST(Instance, GivesItsInterfaces) {
  Instance instance = start("minimal");
  EXPECT_NE(instance.interface("loci.device", 0), nullptr);
  EXPECT_EQ(instance.interface("loci.unknown", 0), nullptr);
}

TEST(Instance, CountsLiveObjects) {
  Instance instance = start("minimal");
  instance.retain();
  instance.retain();
  instance.release();
  EXPECT_EQ(instance.live_objects(), 1);
  instance.release();
}

TEST(Instance, NothingEscapesCreate) {
  EXPECT_EQ(error_with("create_throws").cause(),
            "its create let an exception escape: out of create");
  EXPECT_EQ(error_with("create_throws_int").cause(),
            "its create let an exception escape: of a type that is not a std::exception");
  const LoadError failed = error_with("create_fails");
  EXPECT_EQ(failed.code(), ErrorCode::kUnavailable);
  EXPECT_EQ(failed.cause(),
            "its create failed: the licence has expired (caused by: the root of it)");
  EXPECT_EQ(error_with("no_instance").cause(), "its create succeeded without giving an instance");
}

TEST(Instance, NothingEscapesGetInterfaceOrDestroy) {
  Instance instance = start("faulty");
  {
    const EnvironmentGuard guard("LOCI_TEST_FAULT", "interface_throws");
    EXPECT_EQ(
        load_error_of([&] { static_cast<void>(instance.interface("loci.device", 0)); }).cause(),
        "its get_interface let an exception escape: out of get_interface");
  }
  const EnvironmentGuard guard("LOCI_TEST_FAULT", "destroy_throws");
  testing::internal::CaptureStderr();
  instance.destroy();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("out of destroy"));
}

TEST(Instance, DestroyOrThrowGivesWhatEscapes) {
  Instance instance = start("faulty");
  const EnvironmentGuard guard("LOCI_TEST_FAULT", "destroy_throws");
  EXPECT_EQ(load_error_of([&] { instance.destroy_or_throw(); }).cause(),
            "its destroy let an exception escape: out of destroy");
  EXPECT_EQ(instance.handle(), nullptr);
}

}  // namespace
}  // namespace loci::plugin
