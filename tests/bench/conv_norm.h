// Parts that models of images have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <loci/loci.hpp>
#include <memory>
#include <utility>

namespace loci::bench {

// A module of one function of a tensor.
class Function : public nn::Module {
 public:
  explicit Function(std::function<Tensor(const Tensor&)> run) : run_(std::move(run)) {}
  Tensor forward(const Tensor& x) override { return run_(x); }

 private:
  std::function<Tensor(const Tensor&)> run_;
};

// The mean of each channel: [batch, channels, 1, 1].
inline Tensor channel_means(const Tensor& x) {
  Pool2dOptions options;
  options.pooling_type = "avg";
  options.global_pooling = true;
  return pool2d(x, options);
}

// A convolution without bias, padded to its stride's share of the image, and its normalisation.
class ConvNorm : public nn::Module {
 public:
  ConvNorm(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
           std::int64_t groups = 1)
      : conv_(in, out, kernel, options(kernel, stride, groups), without_bias()),
        norm_(out, of_last_batch()) {
    register_child("conv", conv_);
    register_child("norm", norm_);
  }
  Tensor forward(const Tensor& x) override { return norm_(conv_(x)); }

 private:
  static Conv2dOptions options(std::int64_t kernel, std::int64_t stride, std::int64_t groups) {
    Conv2dOptions result;
    result.strides = {stride, stride};
    result.paddings = {kernel / 2, kernel / 2};
    result.groups = groups;
    return result;
  }
  static nn::ParameterOptions without_bias() {
    nn::ParameterOptions result;
    result.bias = false;
    return result;
  }

  // One batch in training leaves its own statistics.
  static BatchNormOptions of_last_batch() {
    BatchNormOptions result;
    result.momentum = 0;
    return result;
  }

  nn::Conv2d conv_;
  nn::BatchNorm norm_;
};

}  // namespace loci::bench
