#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class PoolingTest : public NnTest {};

TEST_F(PoolingTest, Print) {
  EXPECT_EQ(MaxPool2d().to_string(),
            "MaxPool2d(kernel_size=[2, 2], strides=[2, 2], paddings=[0, 0], ceil_mode=False)");
  Pool2dOptions options;
  options.padding_algorithm = "SAME";
  options.ceil_mode = true;
  EXPECT_EQ(
      AvgPool2d(options).to_string(),
      "AvgPool2d(kernel_size=[2, 2], strides=[2, 2], padding_algorithm=SAME, ceil_mode=True)");
  options.global_pooling = true;
  EXPECT_EQ(AvgPool2d(options).to_string(), "AvgPool2d(global_pooling=True)");
}

TEST_F(PoolingTest, TakesTheLargestOrTheMean) {
  const Tensor x = Tensor::from<double>({1, 2, 3, 4, 5, 6, 7, 8}, {1, 1, 2, 4});
  EXPECT_EQ(elements(MaxPool2d()(x)), (std::vector<double>{6, 8}));
  EXPECT_EQ(elements(AvgPool2d()(x)), (std::vector<double>{3.5, 5.5}));
  Pool2dOptions options;
  options.global_pooling = true;
  EXPECT_EQ(elements(MaxPool2d(options)(x)), (std::vector<double>{8}));
  EXPECT_EQ(elements(AvgPool2d(options)(x)), (std::vector<double>{4.5}));
}

TEST_F(PoolingTest, HaveRightGradients) {
  MaxPool2d max;
  AvgPool2d average(3);
  expect_right_gradients(max, varied({1, 2, 4, 4}));
  expect_right_gradients(average, varied({1, 2, 3, 3}));
  expect_same_on_accelerator(max, varied({1, 2, 4, 4}));
  expect_same_on_accelerator(average, varied({1, 2, 3, 3}));
}

TEST_F(PoolingTest, RefuseWindowsOfNothing) {
  EXPECT_THAT([] { MaxPool2d(0); }, ThrowsMessage<Error>(HasSubstr("[MaxPool2d] size is 0")));
  EXPECT_THAT([] { AvgPool2d(-1); }, ThrowsMessage<Error>(HasSubstr("[AvgPool2d] size is -1")));
}

}  // namespace
}  // namespace loci::nn
