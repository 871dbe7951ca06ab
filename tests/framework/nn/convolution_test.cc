#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ConvolutionTest : public NnTest {};

TEST_F(ConvolutionTest, Prints) {
  EXPECT_EQ(Conv2d(1, 16, 3).to_string(),
            "Conv2d(1, 16, kernel_size=[3, 3], strides=[1, 1], paddings=[0, 0], bias=True)");
  Conv2dOptions options;
  options.padding_algorithm = "SAME";
  options.groups = 2;
  options.dilations = {2, 2};
  EXPECT_EQ(Conv2d(4, 6, {3, 1}, options, doubles(false)).to_string(),
            "Conv2d(4, 6, kernel_size=[3, 1], strides=[1, 1], padding_algorithm=SAME, "
            "dilations=[2, 2], groups=2, bias=False)");
}

TEST_F(ConvolutionTest, IsTheOp) {
  Conv2dOptions options;
  options.strides = {2, 1};
  options.paddings = {1, 0};
  options.groups = 2;
  Conv2d module(4, 6, {3, 2}, options, doubles());
  EXPECT_EQ(module.weight().shape(), (Shape{6, 2, 3, 2}));
  EXPECT_EQ(module.bias().shape(), Shape{6});
  const Tensor x = varied({2, 4, 5, 3});
  EXPECT_EQ(elements(module(x)), elements(conv2d(x, module.weight(), options, module.bias())));
}

TEST_F(ConvolutionTest, HasRightGradients) {
  Conv2dOptions options;
  options.paddings = {1, 1};
  Conv2d module(2, 3, 2, options, doubles());
  expect_right_gradients(module, varied({2, 2, 3, 3}));
  expect_same_on_accelerator(module, varied({2, 2, 3, 3}));
}

TEST_F(ConvolutionTest, RefusesWhatDoesNotFit) {
  Conv2dOptions options;
  options.groups = 3;
  EXPECT_THAT([&] { Conv2d(4, 6, 3, options); },
              ThrowsMessage<Error>(HasSubstr("[Conv2d] 3 groups do not divide 4 in_channels and 6 "
                                             "out_channels")));
  options.groups = 0;
  EXPECT_THAT([&] { Conv2d(4, 6, 3, options); },
              ThrowsMessage<Error>(HasSubstr("[Conv2d] groups is 0")));
  EXPECT_THAT([] { Conv2d(0, 6, 3); }, ThrowsMessage<Error>(HasSubstr("in_channels is 0")));
  EXPECT_THAT([] { Conv2d(1, 0, 3); }, ThrowsMessage<Error>(HasSubstr("out_channels is 0")));
  EXPECT_THAT(
      [] {
        Conv2d(1, 1, {1, 0});
      },
      ThrowsMessage<Error>(HasSubstr("the kernel's width is 0")));
  EXPECT_THAT(
      [] {
        Conv2d(1, 1, {0, 1});
      },
      ThrowsMessage<Error>(HasSubstr("the kernel's height is 0")));
  Conv2d module(2, 3, 2);
  EXPECT_THAT(
      [&] {
        module(Tensor::empty({1, 5, 3, 3}, kFloat32));
      },
      ThrowsMessage<Error>(HasSubstr("[conv2d]")));
}

TEST_F(ConvolutionTest, TransposedPrints) {
  EXPECT_EQ(ConvTranspose2d(16, 1, 3).to_string(),
            "ConvTranspose2d(16, 1, kernel_size=[3, 3], strides=[1, 1], paddings=[0, 0], "
            "bias=True)");
  ConvTranspose2dOptions options;
  options.strides = {2, 2};
  options.output_padding = {1, 0};
  options.dilations = {2, 1};
  options.groups = 2;
  EXPECT_EQ(ConvTranspose2d(4, 6, {3, 1}, options, doubles(false)).to_string(),
            "ConvTranspose2d(4, 6, kernel_size=[3, 1], strides=[2, 2], paddings=[0, 0], "
            "output_padding=[1, 0], dilations=[2, 1], groups=2, bias=False)");
}

TEST_F(ConvolutionTest, TransposedIsTheOp) {
  ConvTranspose2dOptions options;
  options.strides = {2, 1};
  options.output_padding = {1, 0};
  options.groups = 2;
  ConvTranspose2d module(4, 6, {3, 2}, options, doubles());
  EXPECT_EQ(module.weight().shape(), (Shape{4, 3, 3, 2}));
  EXPECT_EQ(module.bias().shape(), Shape{6});
  const Tensor x = varied({2, 4, 5, 3});
  EXPECT_EQ(module(x).shape(), (Shape{2, 6, 12, 4}));
  EXPECT_EQ(elements(module(x)),
            elements(conv2d_transpose(x, module.weight(), options, module.bias())));
}

TEST_F(ConvolutionTest, TransposedHasRightGradients) {
  ConvTranspose2dOptions options;
  options.strides = {2, 2};
  options.paddings = {1, 1};
  options.output_padding = {1, 1};
  ConvTranspose2d module(2, 3, 3, options, doubles());
  expect_right_gradients(module, varied({2, 2, 3, 3}));
  expect_same_on_accelerator(module, varied({2, 2, 3, 3}));
}

TEST_F(ConvolutionTest, TransposedRefusesWhatDoesNotFit) {
  ConvTranspose2dOptions options;
  options.groups = 3;
  EXPECT_THAT([&] { ConvTranspose2d(4, 6, 3, options); },
              ThrowsMessage<Error>(HasSubstr("[ConvTranspose2d] 3 groups do not divide 4")));
  ConvTranspose2d module(2, 3, 2);
  EXPECT_THAT(
      [&] {
        module(Tensor::empty({1, 5, 3, 3}, kFloat32));
      },
      ThrowsMessage<Error>(HasSubstr("[conv2d_transpose]")));
}

}  // namespace
}  // namespace loci::nn
