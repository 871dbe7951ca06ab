#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/layers.hpp>

#include "framework/program/program_impl.h"

namespace loci {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class LayersTest : public ::testing::Test {
 protected:
  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
};

TEST_F(LayersTest, FcFlattensAndAddsABias) {
  const Variable x = data("x", {-1, 4, 5}, kFloat32);
  const Variable y = layers::fc(x, 10, "head");
  EXPECT_EQ(y.shape(), (Shape{-1, 10}));
  EXPECT_EQ(main_.find("head.weight").shape(), (Shape{20, 10}));
  EXPECT_EQ(main_.find("head.bias").shape(), (Shape{10}));
  EXPECT_EQ(startup_.impl()->main().ops.size(), 2U);
}

TEST_F(LayersTest, NamesAreUniqueWhenNotGiven) {
  const Variable x = data("x", {-1, 4}, kFloat32);
  data("fc_1.weight", {1}, kFloat32);
  layers::fc(layers::fc(x, 3), 2);
  EXPECT_EQ(main_.find("fc_2.weight").shape(), (Shape{4, 3}));
  EXPECT_EQ(main_.find("fc_3.weight").shape(), (Shape{3, 2}));
}

TEST_F(LayersTest, Conv2dMakesAGroupedFilter) {
  const Variable x = data("x", {-1, 4, 8, 8}, kFloat32);
  Conv2dOptions options;
  options.groups = 2;
  options.padding_algorithm = "SAME";
  EXPECT_EQ(layers::conv2d(x, 6, 3, options, "conv").shape(), (Shape{-1, 6, 8, 8}));
  EXPECT_EQ(main_.find("conv.weight").shape(), (Shape{6, 2, 3, 3}));
  EXPECT_EQ(main_.find("conv.bias").shape(), (Shape{6}));
}

TEST_F(LayersTest, EmbeddingMakesItsTable) {
  const Variable ids = data("ids", {-1}, kInt64);
  EXPECT_EQ(layers::embedding(ids, {100, 8}, {}, kFloat32, "words").shape(), (Shape{-1, 8}));
  EXPECT_EQ(main_.find("words.weight").shape(), (Shape{100, 8}));
  EXPECT_THAT([&] { layers::embedding(ids, {100}); },
              ThrowsMessage<Error>(HasSubstr("size is [100]; give [rows, width]")));
}

TEST_F(LayersTest, LayerNormHasAScaleAndABiasForARow) {
  const Variable x = data("x", {-1, 4, 5}, kFloat16);
  EXPECT_EQ(layers::layer_norm(x, 1, 1e-6, "norm").shape(), (Shape{-1, 4, 5}));
  EXPECT_EQ(main_.find("norm.weight").shape(), (Shape{20}));
  EXPECT_EQ(main_.find("norm.bias").dtype(), kFloat16);
  EXPECT_FALSE(main_.find("norm.bias").stop_gradient());
  layers::layer_norm(x, 2);
  EXPECT_EQ(main_.find("layer_norm_1.weight").shape(), (Shape{5}));
}

TEST_F(LayersTest, LayerNormNeedsAKnownRow) {
  const Variable x = data("x", {2, -1, 5}, kFloat32);
  EXPECT_THAT([&] { layers::layer_norm(x); },
              ThrowsMessage<Error>(HasSubstr("every extent from dimension 1 on has to be known")));
  EXPECT_THAT([&] { layers::layer_norm(x, 3); },
              ThrowsMessage<Error>(HasSubstr("begin_norm_axis is 3")));
}

TEST_F(LayersTest, BatchNormKeepsStatisticsThatAreNotTrained) {
  const Variable x = data("x", {-1, 4, 8, 8}, kBFloat16);
  EXPECT_EQ(layers::batch_norm(x, {}, "norm").shape(), (Shape{-1, 4, 8, 8}));
  EXPECT_EQ(main_.find("norm.weight").shape(), (Shape{4}));
  EXPECT_EQ(main_.find("norm.weight").dtype(), kBFloat16);
  for (const char* name : {"norm.mean", "norm.variance"}) {
    EXPECT_TRUE(main_.find(name).persistable());
    EXPECT_TRUE(main_.find(name).stop_gradient());
    EXPECT_EQ(main_.find(name).dtype(), kFloat32);
  }
  BatchNormOptions options;
  options.data_layout = "NHWC";
  layers::batch_norm(x, options, "last");
  EXPECT_EQ(main_.find("last.mean").shape(), (Shape{8}));
}

TEST_F(LayersTest, BatchNormNeedsKnownChannels) {
  const Variable x = data("x", {2, -1}, kFloat32);
  EXPECT_THAT([&] { layers::batch_norm(x); },
              ThrowsMessage<Error>(HasSubstr("'x' has the shape [2, -1]; it needs a batch")));
}

TEST_F(LayersTest, ARefusalChangesNeitherProgram) {
  const Variable x = data("x", {-1, 4, 8, 8}, kFloat32);
  const Variable unknown = data("unknown", {-1, -1}, kFloat32);
  const Variable integers = data("integers", {-1, 4}, kInt32);
  const std::string before = main_.to_string() + startup_.to_string();
  EXPECT_THAT([&] { layers::fc(unknown, 3); }, ThrowsMessage<Error>(HasSubstr("'unknown'")));
  EXPECT_THAT([&] { layers::fc(x, 0); }, ThrowsMessage<Error>(HasSubstr("size is 0")));
  EXPECT_THAT([&] { layers::fc(integers, 3); }, ThrowsMessage<Error>(HasSubstr("int32")));
  EXPECT_THAT([] { layers::fc(Variable(), 3); }, ThrowsMessage<Error>(HasSubstr("undefined")));
  EXPECT_THAT([&] { layers::conv2d(unknown, 3, 3); }, ThrowsMessage<Error>(HasSubstr("[batch,")));
  Conv2dOptions options;
  options.groups = 3;
  EXPECT_THAT([&] { layers::conv2d(x, 3, 3, options); },
              ThrowsMessage<Error>(HasSubstr("3 group")));
  // Only the convolution itself finds this, after the parameters were made.
  options.groups = 1;
  options.padding_algorithm = "SOME";
  EXPECT_THAT([&] { layers::conv2d(x, 3, 3, options); }, ThrowsMessage<Error>(HasSubstr("SOME")));
  EXPECT_EQ(main_.to_string() + startup_.to_string(), before);
}

}  // namespace
}  // namespace loci
