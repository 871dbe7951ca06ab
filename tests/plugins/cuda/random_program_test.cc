// Random programs over two emulated devices and the host, with all checks. LOCI_RANDOM_PROGRAMS is
// how many, LOCI_RANDOM_SEED the first seed; LOCI_CUDA_DOUBLE what the double is to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/plugins/cuda/double_questions.h"
#include "tests/support/random_program.h"

namespace loci::test {
namespace {

// A program that asks for a kernel of an op by a guard has to get one.
constexpr bool kShapesOnHost = true;

using Values = std::vector<std::vector<char>>;

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class CudaRandomProgramTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    use_doubles("checks=all,devices=2,seed=5,latency_us=50", /*replaces=*/false);
  }
  static std::vector<float> floats(const std::vector<char>& bytes) {
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
  }
  // A tensor's largest number is the scale: sums may cancel, and halves be rounded the other way.
  static bool is_near(const std::vector<char>& got, const std::vector<char>& expected) {
    if (got == expected) return true;
    if (got.size() != expected.size()) return false;
    const std::vector<float> left = floats(got);
    const std::vector<float> right = floats(expected);
    float largest = 0;
    for (const float value : right) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!(std::abs(left[i] - right[i]) <= 2e-3F * largest + 1e-6F)) return false;
    }
    return true;
  }
  static void expect_near(const Values& got, const Values& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_TRUE(is_near(got[i], expected[i])) << i;
  }
};

TEST_F(CudaRandomProgramTest, TwoDevicesGiveTheBitsOfOneAndTheNumbersOfTheHost) {
  const std::uint64_t first = number_from("LOCI_RANDOM_SEED", 1);
  const std::uint64_t count = number_from("LOCI_RANDOM_PROGRAMS", 6);
  const unsigned found = finding_count();
  std::uint64_t parallel = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("LOCI_RANDOM_SEED=" + std::to_string(seed));
    const RandomProgram alone(seed, {}, kShapesOnHost);
    const RandomProgram spread(seed, {"cuda:0", "cuda:1"}, kShapesOnHost);
    const RandomProgram everywhere(seed, {"cuda:0", "cuda:1", "cpu"}, kShapesOnHost);
    const CompileOptions options = seed % 2 == 0 ? CompileOptions::none() : CompileOptions::exact();
    const Values host = alone.run("cpu", CompileOptions::none());
    const Values one = alone.run("cuda:1", options);
    ASSERT_NO_FATAL_FAILURE(expect_near(one, host));
    CompileOptions streams = CompileOptions::none();
    streams.streams = 2 + static_cast<int>(seed % 3);
    streams.reuse_memory = seed % 2 == 0;
    ASSERT_TRUE(spread.run("cuda:0", options) == one);
    ASSERT_TRUE(spread.run("cuda:0", streams) == one);
    ASSERT_TRUE(spread.run_imperatively("cuda:0") == one);
    ASSERT_NO_FATAL_FAILURE(expect_near(everywhere.run("cuda:0", streams), host));
    if (spread.uses_streams("cuda:0", streams)) ++parallel;
  }
  EXPECT_GE(parallel, count / 4) << "else little was tried";
  EXPECT_EQ(findings_since(found), "");
}

}  // namespace
}  // namespace loci::test
