// Profiles of programs on an emulated device hold these spans and records.
#include "profile_fixture.h"

#include <loci/inspect.hpp>
#include <loci/timer.hpp>
#include <map>
#include <set>
#include <string_view>
#include <thread>

namespace loci::test {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;

class CudaProfileTest : public CudaProfileFixture {
 protected:
  static void SetUpTestSuite() {
    set_up(build_path("lib/loci/cuda_double/libcupti.so.13"));
    ::setenv("LOCI_CUDA_NVRTC", LOCI_TEST_NVRTC, 1);
    ::setenv("LOCI_CUDA_COMPILE", "now", 1);
    ::setenv("XDG_CACHE_HOME", "/dev/null", 1);  // where nothing is kept
  }
};

TEST_F(CudaProfileTest, KernelsBelongToTheirOperatorsAndHaveTheirShape) {
  const Tensor x = ones().to("cuda:0");
  const profiler::Profile profile = profile_of({}, [&] { compute(exp(relu(x))); });
  const auto kernels = work_of(profile.abi(), LOCI_DEVICE_WORK_KERNEL);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(text(kernels[0].name), "relu_f32");
  EXPECT_EQ(launcher(profile.abi(), kernels[0]), "relu");
  EXPECT_EQ(text(kernels[1].name), "exp_f32");
  EXPECT_EQ(launcher(profile.abi(), kernels[1]), "exp");
  EXPECT_LE(kernels[0].end_ns, kernels[1].begin_ns);
  const loci_launch_geometry& geometry = kernels[0].geometry;
  EXPECT_EQ(geometry.grid[0], 1U);
  EXPECT_GE(geometry.block[0], 32U);
  EXPECT_EQ(geometry.block[1], 1U);
  EXPECT_GT(geometry.registers, 0U);
  EXPECT_GT(geometry.occupancy, 0);
  EXPECT_LE(geometry.occupancy, 1);
  EXPECT_EQ(profile.abi().quality->unattributed_device_spans, 0U);
}

TEST_F(CudaProfileTest, CopiesAndFillsHaveTheirBytesAndDirection) {
  const Tensor x = ones();
  const profiler::Profile profile = profile_of({}, [&] {
    const Tensor there = x.to("cuda:0");
    const Tensor elsewhere = there.to("cuda:1");
    compute(elsewhere);
  });
  std::set<std::uint32_t> directions;
  for (const auto& copy : work_of(profile.abi(), LOCI_DEVICE_WORK_COPY)) {
    EXPECT_EQ(copy.bytes, 2400U);
    EXPECT_EQ(launcher(profile.abi(), copy), "copy");
    directions.insert(copy.direction);
  }
  EXPECT_EQ(directions, (std::set<std::uint32_t>{LOCI_COPY_HOST_TO_DEVICE, LOCI_COPY_DEVICE_TO_HOST,
                                                 LOCI_COPY_PEER}));
}

// Work is within the host's spans: a clock that is fitted wrongly would put it elsewhere.
TEST_F(CudaProfileTest, TimesAreOfTheSessionsClock) {
  const Tensor x = ones().to("cuda:0");
  const profiler::Profile profile = profile_of({}, [&] {
    for (int i = 0; i < 20; ++i) compute(exp(x));
  });
  const loci_profile& abi = profile.abi();
  EXPECT_EQ(work_of(abi, LOCI_DEVICE_WORK_KERNEL).size(), 20U);
  for (std::uint64_t i = 0; i < abi.device_span_count; ++i) {
    const loci_profile_device_span& work = abi.device_spans[i];
    ASSERT_NE(work.span, LOCI_PROFILE_NONE);
    EXPECT_GE(work.begin_ns + 100'000, abi.spans[work.span].begin_ns);
    EXPECT_LE(work.begin_ns, work.end_ns);
    EXPECT_LE(work.end_ns, abi.wall_ns);
  }
}

TEST_F(CudaProfileTest, SessionsStartAndStopAndSeeTheirOwn) {
  const Tensor x = ones().to("cuda:0");
  for (int session = 1; session <= 5; ++session) {
    compute(exp(x));  // in none
    const profiler::Profile profile = profile_of({}, [&] {
      for (int i = 0; i < session; ++i) compute(relu(x));
    });
    const auto kernels = work_of(profile.abi(), LOCI_DEVICE_WORK_KERNEL);
    EXPECT_EQ(kernels.size(), static_cast<std::size_t>(session));
    for (const auto& kernel : kernels) EXPECT_EQ(launcher(profile.abi(), kernel), "relu");
    EXPECT_EQ(profile.abi().quality->drop_count, 0U);
  }
}

TEST_F(CudaProfileTest, ThreadsHaveTheirWork) {
  const Tensor x = ones().to("cuda:0");
  const profiler::Profile profile = profile_of(ProfilerOptions().state("all"), [&] {
    std::thread beside([&] {
      for (int i = 0; i < 50; ++i) compute(sqrt(x));
    });
    for (int i = 0; i < 50; ++i) compute(exp(x));
    beside.join();
  });
  const loci_profile& abi = profile.abi();
  std::map<std::string, int> counts;
  std::set<std::uint32_t> threads;
  for (const auto& kernel : work_of(abi, LOCI_DEVICE_WORK_KERNEL)) {
    ++counts[text(kernel.name) + " of " + launcher(abi, kernel)];
    if (kernel.span != LOCI_PROFILE_NONE) threads.insert(abi.spans[kernel.span].thread);
  }
  EXPECT_EQ(counts, (std::map<std::string, int>{{"exp_f32 of exp", 50}, {"sqrt_f32 of sqrt", 50}}));
  EXPECT_GE(threads.size(), 2U);
}

// Returns those of the driver's calls that are of external profilers, or launches.
std::vector<std::string> calls_of(const loci_profile& profile) {
  std::map<std::uint64_t, std::string> calls;  // by time
  for (std::uint64_t i = 0; i < profile.span_count; ++i) {
    const loci_profile_label& label = profile.labels[profile.spans[i].label];
    const std::string name = text(label.name);
    const bool is_wanted = name.rfind("cuProfiler", 0) == 0 || name == "cuLaunchKernel";
    if (label.kind == LOCI_SPAN_CALL && is_wanted) calls[profile.spans[i].begin_ns] = name;
  }
  std::vector<std::string> names;
  for (const auto& [time, name] : calls) {
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

// A chain that NVRTC compiled is known by what it computes, in replays too.
TEST_F(CudaProfileTest, ACompiledChainHasItsNameInReplays) {
  if (std::string_view(LOCI_TEST_NVRTC).empty()) GTEST_SKIP() << "the toolkit has no libnvrtc";
  const Program program;
  Variable y;
  {
    const ProgramGuard building(program);
    const Variable x = data("x", {600}, kFloat32);
    y = softmax(gelu(x) * x + tanh(x));
  }
  CompileOptions options;
  options.capture = GraphCapture::kAuto;
  Executor executor("cuda:0", options, Scope());
  const Feed feed{{"x", ones().to("cuda:0")}};
  for (int i = 0; i < 3; ++i) executor.run(program, feed, {y});
  const std::uint64_t replays = inspect::capture(executor, program, feed, {y}).replays;
  const profiler::Profile profile = profile_of({}, [&] { executor.run(program, feed, {y}); });
  EXPECT_EQ(inspect::capture(executor, program, feed, {y}).replays, replays + 1);
  std::vector<std::string> names;
  for (const auto& kernel : work_of(profile.abi(), LOCI_DEVICE_WORK_KERNEL)) {
    names.push_back(text(kernel.name) + " of " + launcher(profile.abi(), kernel));
  }
  ASSERT_EQ(names.size(), 2U);
  EXPECT_THAT(names[0], ContainsRegex("^fused_[a-z_]*gelu[a-z_]* of fused_elementwise$"));
  EXPECT_THAT(names[1], ContainsRegex("^softmax_f32.* of softmax$"));
}

TEST_F(CudaProfileTest, ARangeForExternalProfilersStartsAndStopsThem) {
  const Tensor x = ones().to("cuda:0");
  const profiler::Profile profile = profile_of(ProfilerOptions().tracer_option("OpDetail"), [&] {
    LOCI_GPU_PROFILER("range", "");
    compute(exp(x));
    LOCI_GPU_PROFILER("inner", "");
  });
  EXPECT_THAT(calls_of(profile.abi()),
              ElementsAre("cuProfilerStart", "cuLaunchKernel", "cuProfilerStop"));
}

TEST_F(CudaProfileTest, TheOverheadOfRecordingIsToldOnce) {
  const Tensor x = ones().to("cuda:0");
  const profiler::Profile profile = profile_of({}, [&] { compute(exp(x)); });
  EXPECT_THAT(notes_of(profile.abi()),
              Contains(ContainsRegex("^cuda: CUPTI tells of [0-9.e-]+ ms of overhead: [0-9.e-]+ ms "
                                     "for buffer requests$"))
                  .Times(1));
}

}  // namespace
}  // namespace loci::test
