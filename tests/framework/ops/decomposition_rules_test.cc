#include "framework/ops/decomposition_rules.h"

#include <gtest/gtest.h>

#include "framework/ops/call_list.h"

namespace loci::ops {
namespace {

TEST(DecompositionRulesTest, SixteenBitElementsAreWidened) {
  CallList list({{kFloat16, {2}}, {kFloat32, {2}}, {kFloat64, {2}}});
  EXPECT_EQ(list.type(widened(list.value(0))).dtype, kFloat32);
  EXPECT_EQ(widened(list.value(1)).id, 1) << "nothing to do";
  EXPECT_EQ(widened(list.value(2)).id, 2);
  EXPECT_EQ(list.type(as_dtype(list.value(1), kFloat16)).dtype, kFloat16);
  EXPECT_EQ(list.calls().size(), 2U);
}

}  // namespace
}  // namespace loci::ops
