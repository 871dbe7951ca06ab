// Convolutions on an emulated device, beyond what conformance cases have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/layers.hpp>
#include <loci/loci.hpp>
#include <vector>

#include "tests/plugins/cuda/on_the_double.h"

namespace loci::test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class CudaConv2dTest : public OnTheDouble {};

TEST_F(CudaConv2dTest, LeavesWindowsThatItCannotCountToOtherDevices) {
  constexpr std::int64_t kMost = 0x7fffffff;
  const Tensor image = counted<float>(4).reshaped({1, 1, 2, 2});
  const Tensor filter = counted<float>(3).reshaped({1, 1, 3, 1});
  Conv2dOptions far;
  far.strides = {kMost, 1};
  far.paddings = {kMost, 0};
  far.dilations = {kMost, 1};
  EXPECT_THAT([&] { return conv2d(image, filter, far); },
              ThrowsMessage<Error>(HasSubstr("a window or a padding spans 2^31 pixels or more")));
  far.dilations = {kMost / 2, 1};
  // The image has one element of the second of two rows of windows.
  EXPECT_EQ(conv2d(image, filter, far).to_vector<float>(), (std::vector<float>{0, 0, 1, 2}));
}

constexpr std::int64_t kBatch = 8;

// Pixels that say which class an image is of.
Feed batch(int step) {
  std::vector<float> pixels;
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < kBatch; ++i) {
    labels.push_back((i + step) % 4);
    for (std::int64_t pixel = 0; pixel < 64; ++pixel) {
      const bool is_set = pixel / 2 % 4 == labels.back();
      const auto noise = static_cast<float>((pixel * 37 + i * 11 + step) % 97) / 300;
      pixels.push_back((is_set ? 1.0F : 0.0F) + noise);
    }
  }
  return {{"image", Tensor::from(pixels, {kBatch, 1, 8, 8})},
          {"label", Tensor::from(labels, {kBatch, 1})}};
}

// Many filters of one channel, strides, groups of one channel, and one pixel.
Variable build_classifier() {
  const Variable image = data("image", {-1, 1, 8, 8}, kFloat32);
  const Variable label = data("label", {-1, 1}, kInt64);
  Conv2dOptions same;
  same.padding_algorithm = "SAME";
  Variable x = relu(layers::batch_norm(layers::conv2d(image, 8, 3, same)));
  Conv2dOptions halved = same;
  halved.strides = {2, 2};
  x = relu(layers::conv2d(x, 16, 3, halved));
  Conv2dOptions depthwise = same;
  depthwise.groups = 16;
  x = relu(layers::conv2d(x, 16, 3, depthwise));
  x = relu(layers::conv2d(x, 24, 1));
  const Variable loss = mean(softmax_with_cross_entropy(layers::fc(x, 4), label));
  optimizer::SGD(0.1).minimize(loss);
  return loss;
}

TEST_F(CudaConv2dTest, TrainsAClassifierAsTheCpuDoes) {
  const Program main;
  const Program startup;
  const ProgramGuard building(main, startup);
  const Variable loss = build_classifier();
  const auto losses_at = [&](const char* place, int steps) {
    Executor executor(place, CompileOptions(), Scope());
    executor.run(startup);
    std::vector<float> losses;
    for (int step = 0; step < steps; ++step) {
      losses.push_back(executor.run(main, batch(step), {loss}).front().item<float>());
    }
    return losses;
  };
  std::vector<float> losses = losses_at("cuda:0", 8);
  EXPECT_LT(losses.back(), 0.8F * losses.front());
  EXPECT_THAT(losses, ::testing::Pointwise(::testing::FloatNear(1e-3F), losses_at("cpu", 8)));
  // The losses have the same bits again: a step's hang on all weights that the one before has made.
  losses.resize(3);
  EXPECT_EQ(losses_at("cuda:0", 3), losses);
}

}  // namespace
}  // namespace loci::test
