// Where there is no CUPTI, events of the driver tell the times that profiles hold.
#include <chrono>
#include <map>
#include <thread>

#include "profile_fixture.h"

namespace loci::test {
namespace {

using ::testing::Contains;

class CudaEventProfileTest : public CudaProfileFixture {
 protected:
  static void SetUpTestSuite() { set_up("0"); }
};

TEST_F(CudaEventProfileTest, OperatorsHaveTheTimeOfTheirKernels) {
  const Tensor x = ones().to("cuda:0");
  const profiler::Profile profile = profile_of({}, [&] { compute(exp(relu(x))); });
  const auto kernels = work_of(profile.abi(), LOCI_DEVICE_WORK_KERNEL);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(text(kernels[0].name), "kernels of relu");
  EXPECT_EQ(launcher(profile.abi(), kernels[0]), "relu");
  EXPECT_EQ(text(kernels[1].name), "kernels of exp");
  EXPECT_EQ(launcher(profile.abi(), kernels[1]), "exp");
  EXPECT_LT(kernels[0].begin_ns, kernels[0].end_ns);
  EXPECT_LE(kernels[0].end_ns, kernels[1].begin_ns);
  EXPECT_EQ(profile.abi().quality->unattributed_device_spans, 0U);
  EXPECT_EQ(dropped_of(profile.abi()), 0U);
}

TEST_F(CudaEventProfileTest, TheReportSaysWhereTimesComeFromAndWhy) {
  const Tensor x = ones().to("cuda:0");
  const profiler::Profile profile = profile_of({}, [&] { compute(exp(x)); });
  EXPECT_THAT(notes_of(profile.abi()),
              Contains("cuda: times come from CUDA events: LOCI_CUDA_CUPTI=0 turns CUPTI off; all "
                       "kernels of an operator have one time, and so has each replay of a graph; "
                       "calls of the driver are missing")
                  .Times(1));
}

TEST_F(CudaEventProfileTest, CopiesAndFillsHaveTheirBytesAndDirection) {
  const Tensor x = ones();
  const profiler::Profile profile = profile_of({}, [&] {
    const Tensor there = x.to("cuda:0");
    compute(there.to("cuda:1"));  // a device that opens in the session, the first time
  });
  std::map<std::uint32_t, std::string> names;
  for (const auto& copy : work_of(profile.abi(), LOCI_DEVICE_WORK_COPY)) {
    EXPECT_EQ(copy.bytes, 2400U);
    EXPECT_EQ(launcher(profile.abi(), copy), "copy");
    names[copy.direction] = text(copy.name);
  }
  EXPECT_EQ(names, (std::map<std::uint32_t, std::string>{{LOCI_COPY_HOST_TO_DEVICE, "memcpy HtoD"},
                                                         {LOCI_COPY_DEVICE_TO_HOST, "memcpy DtoH"},
                                                         {LOCI_COPY_PEER, "memcpy PtoP"}}));
}

// Work is within the host's spans: a clock that is fitted wrongly would put it elsewhere.
void expect_times_of_the_host(const loci_profile& profile) {
  for (std::uint64_t i = 0; i < profile.device_span_count; ++i) {
    const loci_profile_device_span& work = profile.device_spans[i];
    ASSERT_NE(work.span, LOCI_PROFILE_NONE);
    EXPECT_GE(work.begin_ns + 1'000'000, profile.spans[work.span].begin_ns);
    EXPECT_LE(work.begin_ns, work.end_ns);
    EXPECT_LE(work.end_ns, profile.wall_ns + 1'000'000);
  }
}

TEST_F(CudaEventProfileTest, TimesAreOfTheSessionsClock) {
  const Tensor x = ones().to("cuda:0");
  const profiler::Profile profile = profile_of({}, [&] {
    for (int i = 0; i < 20; ++i) compute(exp(x));
  });
  EXPECT_EQ(work_of(profile.abi(), LOCI_DEVICE_WORK_KERNEL).size(), 20U);
  expect_times_of_the_host(profile.abi());
}

// After a second they are told from a later event.
TEST_F(CudaEventProfileTest, TimesStayRightInLongSessions) {
  const Tensor x = ones().to("cuda:0");
  const profiler::Profile profile = profile_of({}, [&] {
    for (const int pause_ms : {1100, 1100, 50}) {
      compute(exp(x));
      std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
    }
    compute(exp(x));
  });
  EXPECT_EQ(work_of(profile.abi(), LOCI_DEVICE_WORK_KERNEL).size(), 4U);
  expect_times_of_the_host(profile.abi());
}

TEST_F(CudaEventProfileTest, SessionsStartAndStopAndSeeTheirOwn) {
  const Tensor x = ones().to("cuda:0");
  for (int session = 1; session <= 5; ++session) {
    compute(exp(x));  // in none
    const profiler::Profile profile = profile_of({}, [&] {
      for (int i = 0; i < session; ++i) compute(relu(x));
    });
    const auto kernels = work_of(profile.abi(), LOCI_DEVICE_WORK_KERNEL);
    EXPECT_EQ(kernels.size(), static_cast<std::size_t>(session));
    for (const auto& kernel : kernels) EXPECT_EQ(launcher(profile.abi(), kernel), "relu");
  }
}

TEST_F(CudaEventProfileTest, ThreadsHaveTheirWork) {
  const Tensor x = ones().to("cuda:0");
  const profiler::Profile profile = profile_of({}, [&] {
    std::thread beside([&] {
      for (int i = 0; i < 50; ++i) compute(sqrt(x));
    });
    for (int i = 0; i < 50; ++i) compute(exp(x));
    beside.join();
  });
  std::map<std::string, int> counts;
  for (const auto& kernel : work_of(profile.abi(), LOCI_DEVICE_WORK_KERNEL)) {
    ++counts[text(kernel.name) + " by " + launcher(profile.abi(), kernel)];
  }
  EXPECT_EQ(counts, (std::map<std::string, int>{{"kernels of exp by exp", 50},
                                                {"kernels of sqrt by sqrt", 50}}));
}

// There are 4096 pairs, which are used again.
TEST_F(CudaEventProfileTest, WhatIsNotTimedIsCounted) {
  constexpr std::size_t kCount = 6000;
  const Tensor x = ones().to("cuda:0");
  const profiler::Profile profile = profile_of({}, [&] {
    for (std::size_t i = 0; i < kCount; ++i) static_cast<void>(relu(x));
    synchronize();
  });
  const std::size_t timed = work_of(profile.abi(), LOCI_DEVICE_WORK_KERNEL).size();
  EXPECT_GT(timed, 4096U);
  EXPECT_EQ(timed + dropped_of(profile.abi()), kCount);
}

TEST_F(CudaEventProfileTest, AReplayHasOneTimeAndACaptureNone) {
  const Tensor x = ones().to("cuda:0");
  Graph graph("cuda:0");
  Tensor y;
  const profiler::Profile profile = profile_of({}, [&] {
    graph.capture_begin();
    y = exp(relu(x));
    graph.capture_end();
    for (int i = 0; i < 3; ++i) graph.replay();
    compute(y);
  });
  EXPECT_TRUE(graph.stats().segments.at(0).is_native);
  EXPECT_EQ(graph.stats().segments.at(0).nodes, 2U);  // no events
  EXPECT_EQ(dropped_of(profile.abi()), 0U);
  std::vector<std::uint64_t> replays;
  for (const auto& work : work_of(profile.abi(), LOCI_DEVICE_WORK_KERNEL)) {
    ASSERT_NE(work.graph, 0U);
    EXPECT_EQ(text(work.name), "replay of graph " + std::to_string(work.graph));
    EXPECT_EQ(launcher(profile.abi(), work), "nobody");
    replays.push_back(work.replay);
  }
  EXPECT_EQ(replays, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_FLOAT_EQ(y.to_vector<float>()[0], 2.7182817F);
}

}  // namespace
}  // namespace loci::test
