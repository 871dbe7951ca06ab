#include "plugins/reporter_nvtx/nvtx_tool.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/plugins/reporter_nvtx/fakes.h"

namespace loci::report {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// Returns the calls that the library at that path heard.
std::string heard(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  const auto answer = reinterpret_cast<const char* (*)()>(dlsym(library, "fake_tool_heard"));
  return answer == nullptr ? "no fake" : answer();
}

NvtxTool find_with(const std::string& injection) {
  setenv("NVTX_INJECTION64_PATH", injection.c_str(), 1);
  return find_nvtx_tool();
}

TEST(NvtxToolTest, AttachesTheToolThatTheVariableNames) {
  const NvtxTool tool = find_with(test::kFakeInjection);
  ASSERT_NE(tool.push, nullptr);
  const std::string before = heard(test::kFakeInjection);
  tool.push("outer");
  tool.push("inner");
  tool.pop();
  tool.pop();
  EXPECT_EQ(heard(test::kFakeInjection), before + "<outer<inner>>");
}

TEST(NvtxToolTest, NoToolIsSaidWithItsReason) {
  NvtxTool tool = find_with("/nowhere/tool.so");
  EXPECT_EQ(tool.push, nullptr);
  EXPECT_EQ(tool.pop, nullptr);
  EXPECT_THAT(tool.finding, HasSubstr("/nowhere/tool.so"));
  tool = find_with(test::kRefusingInjection);
  EXPECT_EQ(tool.push, nullptr);
  EXPECT_THAT(tool.finding, EndsWith("refused to start"));
  tool = find_with(test::kFakeToolsExt);
  EXPECT_EQ(tool.push, nullptr);
  EXPECT_THAT(tool.finding, EndsWith("has no InitializeInjectionNvtx2"));
}

TEST(NvtxToolTest, TakesToolsExtWithoutTheVariable) {
  // Opened once, it is found by its name.
  void* library = dlopen(test::kFakeToolsExt.c_str(), RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  unsetenv("NVTX_INJECTION64_PATH");
  const NvtxTool tool = find_nvtx_tool();
  ASSERT_NE(tool.push, nullptr);
  EXPECT_EQ(tool.finding, "libnvToolsExt.so.1");
  tool.push("one");
  tool.pop();
  EXPECT_EQ(heard(test::kFakeToolsExt), "<one>");
}

}  // namespace
}  // namespace loci::report
