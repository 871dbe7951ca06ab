#include "framework/plugin/library.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "framework/plugin/negotiation.h"
#include "tests/framework/plugin/load_error_matcher.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using test::load_error_of;
using testing::HasSubstr;

TEST(Library, FindsTheQueryFunction) {
  const Library library(test::built_plugin("minimal").string(), {});
  const loci_host_info info = host_info(this_host());
  ASSERT_NE(library.query_function(), nullptr);
  EXPECT_EQ(library.query_function()(&info), library.query_function()(&info));
}

TEST(Library, KeepsItsSymbolsToItselfAndStaysMapped) {
  const std::string path = test::built_plugin("other").string();
  { const Library library(path, {}); }
  EXPECT_EQ(::dlsym(RTLD_DEFAULT, LOCI_PLUGIN_QUERY_SYMBOL), nullptr);
  void* mapped = ::dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(mapped, nullptr);
  ::dlclose(mapped);
}

TEST(Library, NamesAMissingDependencyAndWhatBringsIt) {
  const std::string path = test::built_plugin("missing_dependency").string();
  const LoadError hinted = load_error_of([&path] {
    const Library library(path, {{"libother.so", "no"}, {"libloci_absent.so.7", "install it"}});
  });
  EXPECT_EQ(hinted.code(), ErrorCode::kUnavailable);
  EXPECT_EQ(hinted.cause(), "it needs the library libloci_absent.so.7, which is not there");
  EXPECT_EQ(hinted.remedy(), "install it");
  const LoadError bare = load_error_of([&path] { const Library library(path, {}); });
  EXPECT_THAT(bare.remedy(), HasSubstr("the package that has libloci_absent.so.7"));
}

TEST(Library, SaysWhenTheQueryFunctionIsAbsent) {
  const Library library(test::built_plugin("no_symbol").string(), {});
  EXPECT_EQ(library.query_function(), nullptr);
}

TEST(Library, GivesTheLinkersOwnCause) {
  const test::PluginFolder folder;
  const test::fs::path file = folder.path() / "text.so";
  test::write_file(file, "not a library, but long enough to be read as the header of one, if any");
  const LoadError error = load_error_of([&file] { const Library library(file.string(), {}); });
  EXPECT_EQ(error.cause(), "the dynamic linker refused it: invalid ELF header");
}

TEST(Library, ReadsTheSonameFromTheLinkersMessage) {
  const std::string tail = ": cannot open shared object file: No such file or directory";
  EXPECT_EQ(missing_dependency("libcublas.so.13" + tail, "/p/a.so"), "libcublas.so.13");
  EXPECT_EQ(missing_dependency("/p/a.so" + tail, "/p/a.so"), "");
  EXPECT_EQ(missing_dependency("/p/a.so: undefined symbol: f", "/p/a.so"), "");
}

}  // namespace
}  // namespace loci::plugin
