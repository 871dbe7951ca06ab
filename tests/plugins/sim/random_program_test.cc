// Random programs over two devices and the host, with random delays and the race checker on, give
// the bits of the CPU's portable kernels. LOCI_RANDOM_PROGRAMS is how many, LOCI_RANDOM_SEED the
// first seed.
#include <cstdlib>

#include "tests/plugins/sim/sim_program.h"
#include "tests/support/random_program.h"

namespace loci {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class SimRandomProgramTest : public test::SimProgramTest {};

TEST_F(SimRandomProgramTest, GiveTheBitsOfTheCpu) {
  const std::uint64_t first = from_environment("LOCI_RANDOM_SEED", 1);
  const std::uint64_t count = from_environment("LOCI_RANDOM_PROGRAMS", 500);
  std::uint64_t parallel = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("LOCI_RANDOM_SEED=" + std::to_string(seed));
    const test::RandomProgram alone(seed, {});
    const test::RandomProgram spread(seed, {"sim:0", "sim:1", "cpu"});
    const CompileOptions options = seed % 2 == 0 ? CompileOptions::none() : CompileOptions();
    const auto expected = alone.run("cpu", CompileOptions::none());
    ASSERT_EQ(spread.run("sim:0", options), expected);
    ASSERT_EQ(alone.run("sim:1", options), expected);
    CompileOptions streams = CompileOptions::none();
    streams.streams = 2 + static_cast<int>(seed % 3);
    streams.reuse_memory = seed % 2 == 0;
    ASSERT_EQ(spread.run("sim:0", streams), expected);
    if (spread.uses_streams("sim:0", streams)) ++parallel;
  }
  EXPECT_GE(parallel, count / 4) << "else little was tried";
}

// Each of these goes through every program four times.
std::uint64_t hybrid_count() { return from_environment("LOCI_RANDOM_PROGRAMS", 300); }

TEST_F(SimRandomProgramTest, GiveTheSameBitsStepByStep) {
  const std::uint64_t first = from_environment("LOCI_RANDOM_SEED", 1);
  for (std::uint64_t seed = first; seed < first + hybrid_count(); ++seed) {
    SCOPED_TRACE("LOCI_RANDOM_SEED=" + std::to_string(seed));
    const test::RandomProgram alone(seed, {});
    const test::RandomProgram spread(seed, {"sim:0", "sim:1", "cpu"});
    const auto expected = alone.run("cpu", CompileOptions::exact());
    ASSERT_TRUE(alone.run_imperatively("cpu") == expected);
    ASSERT_TRUE(alone.run_imperatively("sim:1") == expected);
    ASSERT_TRUE(spread.run_imperatively("sim:0") == expected);
    const SerialMode serial;
    ASSERT_TRUE(spread.run_imperatively("sim:0") == expected);
  }
}

TEST_F(SimRandomProgramTest, GiveTheSameBitsTraced) {
  const std::uint64_t first = from_environment("LOCI_RANDOM_SEED", 1);
  for (std::uint64_t seed = first; seed < first + hybrid_count(); ++seed) {
    SCOPED_TRACE("LOCI_RANDOM_SEED=" + std::to_string(seed));
    const test::RandomProgram alone(seed, {});
    const test::RandomProgram spread(seed, {"sim:0", "sim:1", "cpu"});
    const CompileOptions options = seed % 2 == 0 ? CompileOptions::none() : CompileOptions::exact();
    const bool saves = seed % 4 < 2;
    const auto expected = alone.run("cpu", CompileOptions::exact());
    ASSERT_TRUE(alone.run_traced("cpu", options, saves) == expected);
    ASSERT_TRUE(alone.run_traced("sim:1", options, saves) == expected);
    ASSERT_TRUE(spread.run_traced("sim:0", options, saves) == expected);
  }
}

}  // namespace
}  // namespace loci
