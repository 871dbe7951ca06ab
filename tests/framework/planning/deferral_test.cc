#include "framework/planning/deferral.h"

#include <gtest/gtest.h>

namespace loci::planning {
namespace {

TEST(DeferralTest, WaitsForWhatItReadsAndForStateThatIsRead) {
  const ops::OpSchema schema("any");
  const program::Operator waits{.schema = &schema, .inputs = {{0}}, .outputs = {{1}}};
  const program::Operator reads{.schema = &schema, .inputs = {{1}}, .outputs = {{2}}};
  const program::Operator changes{.schema = &schema, .inputs = {{3}}, .outputs = {{0}}};
  const program::Operator unrelated{.schema = &schema, .inputs = {{0}}, .outputs = {{3}}};
  Deferral deferral(4);
  EXPECT_FALSE(deferral.hangs(reads));
  deferral.add(waits);
  EXPECT_TRUE(deferral.hangs(reads));
  EXPECT_TRUE(deferral.hangs(changes));
  EXPECT_FALSE(deferral.hangs(unrelated));
  EXPECT_TRUE(deferral.computes(1));
  EXPECT_FALSE(deferral.computes(0));
}

}  // namespace
}  // namespace loci::planning
