// Tests what a launch tells of its accesses, and of its work.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/cuda_double/ptx/rig.h"

namespace loci::cuda_double {
namespace {

using ::testing::ElementsAre;

struct Recorder : AccessObserver {
  void accessed(const AccessedRange& range) override {
    seen.push_back(fmt::format("{} {}+{}{}", range.written ? "writes" : "reads", range.begin - base,
                               range.bytes, range.atomic ? " atomic" : ""));
  }
  std::uint64_t base = 0;
  std::vector<std::string> seen;
};

// Thread t reads word t, writes word 64 + t, and all count in word 200.
const std::string kBody = R"(
  mad.wide.u32 %rd1, %t, 4, %out;
  ld.global.u32 %r1, [%rd1];
  st.global.u32 [%rd1+256], %r1;
  red.global.add.u32 [%out+800], 1;)";

TEST(AccessObserver, gets_ranges_that_are_as_long_as_can_be) {
  Rig rig;
  rig.load(kernel_text(kBody));
  const auto data = rig.zeros<std::uint32_t>(256);
  Recorder recorder;
  recorder.base = data.address();
  rig.config.observer = &recorder;
  rig.launch("test", {1}, {40}, data);
  EXPECT_THAT(recorder.seen, ElementsAre("reads 0+160", "reads 800+4 atomic", "writes 256+160",
                                         "writes 800+4 atomic"));
  EXPECT_EQ(data.get()[200], 40U);
}

TEST(AccessObserver, hears_of_a_launch_that_fails) {
  Rig rig;
  rig.load(kernel_text(kBody + " trap;"));
  const auto data = rig.zeros<std::uint32_t>(256);
  Recorder recorder;
  recorder.base = data.address();
  rig.config.observer = &recorder;
  EXPECT_EQ(fault_of([&] { rig.launch("test", {1}, {32}, data); }).kind, FaultKind::kTrap);
  EXPECT_EQ(recorder.seen.size(), 4U);
}

TEST(Counters, say_what_lanes_did) {
  Rig rig;
  rig.load(kernel_text(kBody));
  const auto data = rig.zeros<std::uint32_t>(256);
  const Counters counters = rig.launch("test", {1}, {40}, data);
  EXPECT_EQ(counters.lanes_by_opcode.at("ld.global.u32"), 40U);
  EXPECT_EQ(counters.global_bytes_read, 40U * 4 + 40U * 4);
  EXPECT_EQ(counters.global_bytes_written, 40U * 4 + 40U * 4);
  EXPECT_EQ(counters.global_requests, 6U);
  // Each warp has 4 or 1 sectors read and written, and 1 of the counter.
  EXPECT_EQ(counters.global_sectors, 4U + 4U + 1U + 1U + 1U + 1U);
}

TEST(Counters, count_conflicts_of_banks) {
  Rig rig;
  rig.load(kernel_text(R"(
  .shared .align 4 .b8 tile[8192];
  mov.u32 %r1, tile;
  mad.lo.u32 %r2, %t, 8, %r1;
  st.shared.u32 [%r2], %t;
  mad.lo.u32 %r3, %t, 128, %r1;
  st.shared.u32 [%r3], %t;)"));
  const auto data = rig.zeros<std::uint32_t>(2);
  rig.config.checks.shared_races = false;
  const Counters counters = rig.launch("test", {1}, {32}, data);
  EXPECT_EQ(counters.shared_requests, 2U);
  EXPECT_EQ(counters.shared_conflicts, 1U + 31U);
}

// Bytes that a warp copies past the registers are one access of each memory.
TEST(Counters, take_copies_of_lanes_together) {
  Rig rig;
  rig.load(kernel_text(R"(
  .shared .align 16 .b8 tile[1024];
  mov.u32 %r1, tile;
  mad.lo.u32 %r2, %t, 16, %r1;
  mad.wide.u32 %rd1, %t, 16, %out;
  cp.async.cg.shared.global [%r2], [%rd1], 16;
  cp.async.wait_all;)"));
  const auto data = rig.zeros<std::uint32_t>(32 * 4);
  const Counters counters = rig.launch("test", {1}, {32}, data);
  EXPECT_EQ(counters.global_bytes_read, 32U * 16);
  EXPECT_EQ(counters.global_requests, 1U);
  EXPECT_EQ(counters.global_sectors, 16U);
  EXPECT_EQ(counters.shared_requests, 1U);
  EXPECT_EQ(counters.shared_conflicts, 3U);
}

TEST(Externals, are_called_once_a_thread) {
  Rig rig;
  rig.load(R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) outside(.param .b32 x);
.visible .entry test(.param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r<3>; .param .b32 a; .param .b32 r;
  mov.u32 %r1, %tid.x; st.param.b32 [a], %r1; call (r), outside, (a); ld.param.b32 %r2, [r];
  ld.param.u64 %rd1, [out]; mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], %r2; ret; })");
  const auto out = rig.array<std::uint32_t>(4);
  EXPECT_EQ(fault_of([&] { rig.launch("test", {1}, {4}, out); }).text,
            "calls outside, which nothing defines");
  ExternalFunctions functions;
  functions["outside"] = [](const ExternalCall& call) {
    std::uint32_t value = 0;
    std::memcpy(&value, call.arguments[0].data(), 4);
    value = value * 10 + call.thread.x;
    std::memcpy(call.result.data(), &value, 4);
  };
  rig.config.externals = &functions;
  rig.launch("test", {1}, {4}, out);
  EXPECT_THAT(out.get(), ElementsAre(0, 11, 22, 33));
}

TEST(Launch, refuses_extents_that_cannot_be) {
  Rig rig;
  rig.load(kernel_text(""));
  const auto out = rig.zeros<std::uint64_t>(1);
  const auto text = [&](Dim3 grid, Dim3 block) {
    return fault_of([&] { rig.launch("test", grid, block, out); }).text;
  };
  EXPECT_EQ(text({0}, {1}), "a grid of (0,1,1) blocks cannot be: at most (2147483647,65535,65535)");
  EXPECT_EQ(text({1, 65536}, {1}),
            "a grid of (1,65536,1) blocks cannot be: at most (2147483647,65535,65535)");
  EXPECT_EQ(text({1}, {1025}),
            "a block of (1025,1,1) threads cannot be: at most 1024 in all, and 64 deep");
  rig.config.dynamic_shared_bytes = 300'000;
  EXPECT_EQ(text({1}, {1}),
            "300000 bytes of shared memory (0 static and 300000 dynamic), and a block has 232448");
}

TEST(Launch, ends_a_huge_grid_at_the_limit) {
  Rig rig;
  rig.load(kernel_text(""));
  rig.config.instruction_limit = 10'000;
  const auto out = rig.zeros<std::uint64_t>(1);
  const FaultReport report = fault_of([&] {
    rig.launch("test", {2147483647, 65535, 65535}, {1}, out);
  });
  EXPECT_EQ(report.kind, FaultKind::kInstructionLimit);
}

}  // namespace
}  // namespace loci::cuda_double
