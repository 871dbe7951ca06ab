#include "tools/cuda_double/driver/kernel_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/scratch_directory.h"

namespace loci::cuda_double {
namespace {

using ::testing::HasSubstr;

Counters counters_of(std::uint64_t instructions, std::uint64_t bytes, std::uint64_t sectors) {
  Counters counters;
  counters.lane_instructions = instructions;
  counters.global_bytes_read = bytes;
  counters.global_sectors = sectors;
  return counters;
}

// Without runs of blanks.
std::string words(const std::string& text) {
  std::istringstream in(text);
  std::string all;
  for (std::string word; in >> word;) all += word + " ";
  return all;
}

TEST(KernelCountersTest, AddUpLaunchesOfAKernelMostInstructionsFirst) {
  KernelCounters all;
  all.add("copy", counters_of(10, 64, 2));
  all.add("sum", counters_of(100, 64, 4));
  Counters shared = counters_of(30, 64, 2);
  shared.global_bytes_written = 64;
  shared.shared_requests = 8;
  shared.shared_conflicts = 4;
  all.add("copy", shared);
  EXPECT_EQ(words(all.table()),
            "launches instructions bytes read written sectors shared kernel "
            "1 100 64 0 2.00 - sum 2 40 128 64 0.67 1.50 copy ");
}

TEST(KernelCountersTest, AreWrittenToAFile) {
  const test::ScratchDirectory scratch;
  KernelCounters all;
  all.add("sum", counters_of(100, 64, 2));
  all.write(scratch.path("counters.txt"));
  std::ifstream file(scratch.path("counters.txt"));
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), all.table());
}

TEST(KernelCountersTest, AFileThatCannotBeWrittenIsSaid) {
  const KernelCounters none;
  ::testing::internal::CaptureStderr();
  none.write("/nowhere/counters.txt");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("[cuda double] counters cannot be written to '/nowhere/counters.txt': No "
                        "such file"));
}

}  // namespace
}  // namespace loci::cuda_double
