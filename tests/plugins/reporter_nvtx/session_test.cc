// These tests show what a tool hears of a program that runs while a session has the reporter.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <loci/loci.hpp>
#include <loci/profiler.hpp>
#include <loci/timer.hpp>
#include <string>

#include "tests/plugins/reporter_nvtx/fakes.h"

namespace loci::test {
namespace {

std::string heard() {
  void* tool = dlopen(kFakeInjection.c_str(), RTLD_LAZY | RTLD_LOCAL);
  return reinterpret_cast<const char* (*)()>(dlsym(tool, "fake_tool_heard"))();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(NvtxSessionTest, ProgramsOperatorsAndUsersHaveRangesWhileTheSessionRuns) {
  setenv("NVTX_INJECTION64_PATH", kFakeInjection.c_str(), 1);
  const Program main;
  Variable y;
  {
    const ProgramGuard building(main, Program());
    y = exp(relu(data("x", {2, 3}, kFloat32)));
  }
  Executor executor("cpu", CompileOptions::none());
  const auto run = [&] {
    executor.run(main, {{"x", Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3})}}, {y});
  };
  run();
  Profiler profiler(ProfilerOptions().reporter("nvtx"));
  for (int i = 0; i < 3; ++i) {
    LOCI_TIMER("step");
    run();
  }
  EXPECT_THAT(profiler.stop(), ::testing::IsEmpty());
  const std::string ranges = heard();
  run();
  EXPECT_EQ(heard(), ranges);  // none any more
  EXPECT_EQ(count(ranges, "<step<run"), 3U) << ranges;
  EXPECT_EQ(count(ranges, "<relu"), 3U) << ranges;
  EXPECT_EQ(count(ranges, "<exp"), 3U) << ranges;
  EXPECT_EQ(count(ranges, "<"), count(ranges, ">")) << ranges;
}

}  // namespace
}  // namespace loci::test
