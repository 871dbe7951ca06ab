#include "framework/eager/batch.h"

#include <gtest/gtest.h>

namespace loci::eager {
namespace {

TEST(BatchTest, APartIsNamedWithItsBatch) {
  const BatchParts parts{"graph 3 at sim:0", {"[relu] float32[4] at sim:0", "host function"}};
  EXPECT_EQ(parts.describe(0), "[relu] float32[4] at sim:0, in a replay of graph 3 at sim:0");
  EXPECT_EQ(parts.describe(1), "host function, in a replay of graph 3 at sim:0");
  EXPECT_EQ(parts.describe(2), "the random state that it sets, in a replay of graph 3 at sim:0");
}

}  // namespace
}  // namespace loci::eager
