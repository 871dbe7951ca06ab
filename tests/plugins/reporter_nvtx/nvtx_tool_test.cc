#include "plugins/reporter_nvtx/nvtx_tool.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace loci::report {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// What the library at that path heard.
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
  const NvtxTool tool = find_with(LOCI_FAKE_INJECTION);
  ASSERT_NE(tool.push, nullptr);
  const std::string before = heard(LOCI_FAKE_INJECTION);
  tool.push("outer");
  tool.push("inner");
  tool.pop();
  tool.pop();
  EXPECT_EQ(heard(LOCI_FAKE_INJECTION), before + "<outer<inner>>");
}

TEST(NvtxToolTest, NoToolIsSaidWithItsReason) {
  NvtxTool tool = find_with("/nowhere/tool.so");
  EXPECT_EQ(tool.push, nullptr);
  EXPECT_EQ(tool.pop, nullptr);
  EXPECT_THAT(tool.finding, HasSubstr("/nowhere/tool.so"));
  tool = find_with(LOCI_REFUSING_INJECTION);
  EXPECT_EQ(tool.push, nullptr);
  EXPECT_THAT(tool.finding, EndsWith("refused to start"));
  tool = find_with(LOCI_FAKE_TOOLS_EXT);
  EXPECT_EQ(tool.push, nullptr);
  EXPECT_THAT(tool.finding, EndsWith("has no InitializeInjectionNvtx2"));
}

TEST(NvtxToolTest, TakesToolsExtWithoutTheVariable) {
  // Opened once, it is found by its name.
  void* library = dlopen(LOCI_FAKE_TOOLS_EXT, RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  unsetenv("NVTX_INJECTION64_PATH");
  const NvtxTool tool = find_nvtx_tool();
  ASSERT_NE(tool.push, nullptr);
  EXPECT_EQ(tool.finding, "libnvToolsExt.so.1");
  tool.push("one");
  tool.pop();
  EXPECT_EQ(heard(LOCI_FAKE_TOOLS_EXT), "<one>");
}

}  // namespace
}  // namespace loci::report
