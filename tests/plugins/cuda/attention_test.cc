// Which attention the plugin has kernels of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/cuda/open_double.h"

namespace loci::testing {
namespace {

using ::testing::HasSubstr;

Call attention_of(loci_dtype dtype, std::int64_t heads, std::int64_t width,
                  std::int64_t value_width) {
  const Dims keys{2, 5, heads * width};
  const Dims values{2, 5, heads * value_width};
  return {"attention",
          {empty_like(dtype, {2, 3, heads * width}), empty_like(dtype, keys),
           empty_like(dtype, values), absent()},
          {{dtype, {2, 3, heads * value_width}}},
          {{"heads", heads}, {"factor", 0.0}, {"zero_hidden", true}}};
}

// The double reads its settings once, so that each of these has a process of its own.
TEST(CudaAttention, TakesHeadsOf128Columns) {
  EXPECT_EQ(in_child([] {
              DrivenPlugin plugin = open_double("devices=1", {});
              for (const loci_dtype dtype : {LOCI_DTYPE_F32, LOCI_DTYPE_F16, LOCI_DTYPE_BF16}) {
                EXPECT_EQ(plugin.implementation_of(attention_of(dtype, 2, 128, 7)), "cuda");
              }
            }),
            0);
}

TEST(CudaAttention, LeavesWiderHeadsAndSaysWhy) {
  EXPECT_EQ(in_child([] {
              DrivenPlugin plugin = open_double("devices=1", {});
              const char* const reason = "heads of 128 columns at most, not of 129";
              EXPECT_THAT(plugin.refusal(attention_of(LOCI_DTYPE_F32, 2, 129, 8), "cuda"),
                          HasSubstr(reason));
              EXPECT_THAT(plugin.refusal(attention_of(LOCI_DTYPE_BF16, 3, 8, 129), "cuda"),
                          HasSubstr(reason));
            }),
            0);
}

}  // namespace
}  // namespace loci::testing
