// Kernels of nvcc's with one mistake each: it is found, named, and its line is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/tools/cuda_double/ptx/rig.h"

namespace loci::cuda_double {
namespace {

using ::testing::HasSubstr;

// "faults.cu:12" for the line that says "mistake: <name>".
std::string line_of(const std::string& mistake) {
#ifdef LOCI_KERNEL_SOURCES
  std::ifstream file(std::string(LOCI_KERNEL_SOURCES) + "/faults.cu");
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string mark = "mistake: " + mistake;
    if (line.size() > mark.size() && line.substr(line.size() - mark.size()) == mark) {
      return "faults.cu:" + std::to_string(number);
    }
  }
#endif
  return "no line says " + mistake;
}

struct Faults : ::testing::Test {
  void SetUp() override {
    if (!missing_kernels().empty()) GTEST_SKIP() << missing_kernels();
    rig.load_kernels("faults");
  }

  template <class... Values>
  FaultReport run(const std::string& kernel, Dim3 grid, Dim3 block, const Values&... values) {
    return fault_of([&] { rig.launch(kernel, grid, block, values...); });
  }

  static void expect(const FaultReport& report, FaultKind kind, const std::string& mistake,
                     const std::string& words) {
    EXPECT_EQ(fault_kind_name(report.kind), fault_kind_name(kind)) << KernelFault(report).what();
    EXPECT_EQ(report.source, line_of(mistake)) << KernelFault(report).what();
    EXPECT_THAT(report.text, HasSubstr(words));
    EXPECT_GT(report.ptx_line, 0U);
    EXPECT_TRUE(report.has_thread);
  }

  Rig rig;
  std::vector<int> counting = [] {
    std::vector<int> values(128);
    for (int i = 0; i < 128; ++i) values[static_cast<std::size_t>(i)] = i;
    return values;
  }();
};

TEST_F(Faults, write_past_the_end) {
  const auto out = rig.array<float>(64);
  const FaultReport report = run("writes_past_end", {2}, {64}, out, 64);
  expect(report, FaultKind::kOutOfBounds, "out_of_bounds", "0 bytes past the end of allocation");
  EXPECT_THAT(report.text, HasSubstr("made by the test"));
  EXPECT_EQ(report.block.x, 1U);
  EXPECT_EQ(report.thread.x, 0U);
  EXPECT_EQ(report.address, out.address() + 256);
}

TEST_F(Faults, read_before_the_beginning) {
  const auto in = rig.array(noise(64, 1));
  const auto out = rig.array<float>(64);
  expect(run("reads_before_begin", {1}, {64}, in, out), FaultKind::kOutOfBounds, "before_begin",
         "4 bytes before allocation");
}

TEST_F(Faults, misaligned_vector) {
  const auto in = rig.array(noise(64, 1));
  const auto out = rig.array<float>(64);
  expect(run("misaligned", {1}, {1}, in, out), FaultKind::kMisaligned, "misaligned",
         "no multiple of 16");
}

TEST_F(Faults, null_pointer) {
  expect(run("null_pointer", {1}, {1}, std::uint64_t{0}), FaultKind::kOutOfBounds, "null",
         "as good as a null pointer");
}

TEST_F(Faults, freed_memory) {
  const auto out = rig.array<float>(64);
  rig.memory.free(out.address(), "cuMemFree #3");
  const FaultReport report = run("writes_past_end", {1}, {32}, out, 64);
  expect(report, FaultKind::kUseAfterFree, "out_of_bounds", "freed by cuMemFree #3");
}

TEST_F(Faults, memory_of_another_device) {
  const std::uint64_t other = rig.memory.allocate(256, MemoryKind::kDevice, 1, "the other");
  expect(run("null_pointer", {1}, {1}, other), FaultKind::kNoPeerAccess, "null",
         "of device 1 from device 0, without peer access");
  rig.config.peers = 2;
  EXPECT_EQ(run("null_pointer", {1}, {1}, other).text, "no fault");
}

TEST_F(Faults, index_past_shared_memory) {
  const auto out = rig.array<int>(32);
  expect(run("shared_past_end", {1}, {32}, out, 32), FaultKind::kOutOfBounds, "shared_bounds",
         "of shared memory, which has 128 bytes");
}

TEST_F(Faults, index_past_local_memory) {
  const auto out = rig.array(counting);
  expect(run("local_past_end", {1}, {1}, out, 8), FaultKind::kOutOfBounds, "local_bounds",
         "of local memory, which has 32 bytes");
}

TEST_F(Faults, no_barrier_between_write_and_read) {
  const auto in = rig.array(counting);
  const auto out = rig.array<int>(64);
  for (const std::uint64_t seed : {0, 1, 2}) {
    rig.config.seed = seed;
    const FaultReport report = run("no_barrier", {1}, {64}, in, out);
    EXPECT_EQ(report.kind, FaultKind::kSharedRace) << "seed " << seed;
    EXPECT_THAT(report.text, HasSubstr("with no barrier between"));
    EXPECT_THAT(report.text, HasSubstr("faults.cu:"));
  }
}

TEST_F(Faults, no_barrier_before_the_next_round) {
  const auto in = rig.array(counting);
  const auto out = rig.array<int>(64);
  const FaultReport report = run("no_second_barrier", {1}, {64}, in, out);
  EXPECT_EQ(report.kind, FaultKind::kSharedRace);
  // At the write or at the read: which comes second is the schedule's.
  EXPECT_THAT(KernelFault(report).what(), HasSubstr(line_of("no_second_barrier")));
}

TEST_F(Faults, no_barrier_of_the_warp) {
  const auto in = rig.array(counting);
  const auto out = rig.array<int>(32);
  expect(run("no_warp_barrier", {1}, {32}, in, out), FaultKind::kSharedRace, "no_warp_barrier",
         "with no barrier between");
}

TEST_F(Faults, lanes_write_to_one_place) {
  const auto out = rig.array<int>(32);
  expect(run("same_place", {1}, {32}, out), FaultKind::kSharedRace, "same_place",
         "write different values to one address");
}

TEST_F(Faults, blocks_count_without_an_atomic) {
  const auto counter = rig.zeros<int>(1);
  expect(run("counts_without_atomic", {2}, {1}, counter), FaultKind::kGlobalRace,
         "counts_without_atomic", "with nothing that orders them");
}

TEST_F(Faults, blocks_write_to_one_place) {
  const auto out = rig.array<float>(128);
  expect(run("blocks_overlap", {2}, {64}, out), FaultKind::kGlobalRace, "blocks_overlap",
         "which block (0,0,0) writes");
}

TEST_F(Faults, sums_without_a_fence) {
  const auto in = rig.array(noise(8, 1));
  const auto partial = rig.array<float>(8);
  const auto arrived = rig.zeros<std::uint32_t>(1);
  const auto sum = rig.array<float>(1);
  expect(run("no_fence", {4}, {32}, in, partial, arrived, sum), FaultKind::kGlobalRace, "no_fence",
         "reads global memory");
}

TEST_F(Faults, barrier_that_half_a_warp_reaches) {
  const auto out = rig.array<int>(32);
  expect(run("barrier_in_branch", {1}, {32}, out), FaultKind::kDivergentBarrier,
         "barrier_in_branch", "only lanes 0x0000ffff of the warp's 0xffffffff");
}

TEST_F(Faults, barrier_in_a_loop_of_unequal_rounds) {
  const auto out = rig.array<int>(100);
  expect(run("barrier_in_loop", {1}, {64}, out, 72), FaultKind::kDivergentBarrier,
         "barrier_in_loop", "reach the barrier");
}

TEST_F(Faults, shuffle_that_half_a_warp_reaches) {
  const auto out = rig.array(counting);
  expect(run("shuffle_in_branch", {1}, {32}, out), FaultKind::kMissingLanes, "shuffle_in_branch",
         "of which 0xffff0000 never come");
}

TEST_F(Faults, lane_outside_its_own_mask) {
  const auto out = rig.array(counting);
  expect(run("not_in_mask", {1}, {32}, out), FaultKind::kMissingLanes, "not_in_mask",
         "lane 16 is not in the mask 0x0000ffff");
}

TEST_F(Faults, sum_of_memory_never_written) {
  const auto in = rig.array<float>(32);
  const auto out = rig.array<float>(32);
  expect(run("never_written", {1}, {32}, in, out), FaultKind::kUndefinedValue, "never_written",
         "which comes from memory that was never written");
}

TEST_F(Faults, branch_on_memory_never_written) {
  const auto in = rig.array<int>(32);
  const auto out = rig.array<int>(32);
  expect(run("branches_on_unwritten", {1}, {32}, in, out), FaultKind::kUndefinedValue,
         "branches_on_unwritten", "as a condition");
}

TEST_F(Faults, shared_memory_never_written) {
  const auto out = rig.array<float>(64);
  expect(run("shared_never_written", {1}, {64}, out), FaultKind::kUndefinedValue,
         "shared_never_written", "never written");
}

TEST_F(Faults, atomic_on_memory_never_written) {
  const auto counter = rig.array<std::uint32_t>(1);
  expect(run("atomic_on_unwritten", {1}, {32}, counter), FaultKind::kUndefinedValue,
         "atomic_on_unwritten", "that were never written");
}

TEST_F(Faults, copy_that_nobody_waits_for) {
  const auto in = rig.array(noise(128, 1));
  const auto out = rig.array<float>(32);
  expect(run("no_wait", {1}, {32}, in, out), FaultKind::kUndefinedValue, "no_wait",
         "never written");
}

TEST_F(Faults, endless_loop) {
  const auto flag = rig.zeros<int>(1);
  rig.config.instruction_limit = 100'000;
  expect(run("endless", {1}, {1}, flag), FaultKind::kInstructionLimit, "endless",
         "it may never end");
}

TEST_F(Faults, failed_assertion) {
  const auto in = rig.array(counting);
  const FaultReport report = run("asserts", {1}, {32}, in);
  expect(report, FaultKind::kAssertion, "asserts", "the assertion 'in[threadIdx.x] < 5' failed");
  EXPECT_EQ(report.thread.x, 5U);
}

TEST_F(Faults, trap) {
  const auto in = rig.array(counting);
  const FaultReport report = run("traps", {1}, {32}, in);
  expect(report, FaultKind::kTrap, "traps", "executes a trap");
  EXPECT_EQ(report.thread.x, 7U);
}

TEST_F(Faults, recursion_without_an_end) {
  const auto out = rig.array(counting);
  const FaultReport report = run("recurses", {1}, {1}, out);
  EXPECT_EQ(report.kind, FaultKind::kCallDepth) << KernelFault(report).what();
  EXPECT_THAT(report.text, HasSubstr("has no room"));
}

TEST_F(Faults, barrier_whose_other_warp_never_comes) {
  const auto out = rig.array<int>(64);
  expect(run("partner_missing", {1}, {64}, out), FaultKind::kDeadlock, "partner_missing",
         "waits for 64 threads at barrier 1, where 32 have come");
}

TEST_F(Faults, write_to_a_constant) {
  expect(run("writes_constant", {1}, {1}), FaultKind::kWrongSpace, "writes_constant",
         "which are constant");
}

TEST_F(Faults, parameters_of_the_wrong_size) {
  const auto out = rig.array<float>(64);
  const FaultReport report = run("writes_past_end", {1}, {32}, out);
  EXPECT_EQ(report.kind, FaultKind::kLaunch);
  EXPECT_EQ(report.text, "8 bytes of parameters, and the kernel takes 12");
}

}  // namespace
}  // namespace loci::cuda_double
