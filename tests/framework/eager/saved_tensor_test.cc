#include "framework/eager/saved_tensor.h"

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class SavedTensorTest : public EagerTest {};

TEST_F(SavedTensorTest, NoticesAChange) {
  const Tensor x = vector({1});
  const SavedTensor saved(x, /*is_output=*/false);
  EXPECT_EQ(saved.get("relu").impl(), x.impl());
  x.zero_();
  EXPECT_THAT([&] { (void)saved.get("relu"); }, ThrowsMessage<Error>(HasSubstr("of relu needs")));
}

TEST_F(SavedTensorTest, AnOutputIsHeldWithoutItsHistory) {
  const Tensor y = variable({1}) * 2.0;
  const SavedTensor saved(y, /*is_output=*/true);
  EXPECT_FALSE(saved.get("scale").requires_grad());
}

TEST_F(SavedTensorTest, AFormMayChange) {
  const Tensor x = vector({1, 2});
  const SavedTensor saved = SavedTensor::form_of(x);
  x.zero_();
  EXPECT_EQ(saved.get("relu").shape(), Shape({2}));
}

TEST_F(SavedTensorTest, WhatTheCallOverwritesIsGone) {
  const SavedTensor saved = SavedTensor::overwritten(vector({1}));
  EXPECT_THROW((void)saved.get("elementwise_mul"), Error);
}

}  // namespace
}  // namespace loci::eager
