#include "framework/execution/place_reason.h"

#include <gtest/gtest.h>

namespace loci::execution {
namespace {

TEST(PlaceReason, HasTheNameThatReportsShow) {
  EXPECT_EQ(place_reason_name(PlaceReason::kDefault), "default");
  EXPECT_EQ(place_reason_name(PlaceReason::kUserGuard), "user_guard");
  EXPECT_EQ(place_reason_name(PlaceReason::kInputs), "inputs");
  EXPECT_EQ(place_reason_name(PlaceReason::kNoKernel), "no_kernel");
  EXPECT_EQ(place_reason_name(PlaceReason::kSmallerCopy), "smaller_copy");
  EXPECT_EQ(place_reason_name(PlaceReason::kDecomposed), "decomposed");
}

}  // namespace
}  // namespace loci::execution
