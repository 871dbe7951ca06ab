#include "framework/profiler/path_keys.h"

#include <gtest/gtest.h>

namespace loci::profiler {
namespace {

TEST(PathKeysTest, KindNameAndInstanceMakeTheKey) {
  const std::vector<Label> labels = {{LOCI_SPAN_OP, "mul", "mul_0"},
                                     {LOCI_SPAN_OP, "mul", "mul_1"},
                                     {LOCI_SPAN_USER, "mul", "mul_0"},
                                     {LOCI_SPAN_OP, "mu", "lmul_0"}};
  const std::vector<std::uint32_t> keys = path_keys(labels);
  for (std::size_t a = 0; a < keys.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(keys[a], keys[b]) << a << " " << b;
  }
}

TEST(PathKeysTest, ShapesAndPlacesDoNot) {
  Label small{LOCI_SPAN_OP, "mul", "mul_0", "cpu"};
  Label large{LOCI_SPAN_OP, "mul", "mul_0", "sim:0", "portable", "x: float32 (4)"};
  const std::vector<std::uint32_t> keys = path_keys({small, large});
  EXPECT_EQ(keys[0], keys[1]);
}

}  // namespace
}  // namespace loci::profiler
