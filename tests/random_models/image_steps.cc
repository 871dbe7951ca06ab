// Convolutions, pooling and what stands between them in networks for images.
#include <algorithm>
#include <cmath>

#include "tests/random_models/model_builder.h"

namespace loci::test {
namespace {

using Integers = std::vector<std::int64_t>;

Variable convolved(ModelBuilder& builder, const Variable& x, std::int64_t filters,
                   const Conv2dOptions& options, std::int64_t height, std::int64_t width) {
  const std::int64_t channels = x.shape()[1] / options.groups;
  const double deviation = 1.0 / std::sqrt(static_cast<double>(channels * height * width));
  const Variable filter =
      builder.parameter({filters, channels, height, width}, x.dtype(), deviation);
  const bool has_bias = builder.dice().chance(40);
  return conv2d(x, filter, options,
                has_bias ? builder.parameter({filters}, x.dtype(), 0.5) : Variable());
}

// Makes a convolution of any kind that fits.
Variable any_convolution(ModelBuilder& builder, const Variable& x, std::int64_t filters) {
  Conv2dOptions options;
  options.strides = {builder.one_of({1, 1, 2, 3}), builder.one_of({1, 1, 2})};
  options.dilations = Integers(2, builder.one_of({1, 1, 1, 2}));
  const std::int64_t height = builder.one_of({1, 2, 3, 5});
  const std::int64_t width = builder.one_of({1, 3, 4});
  // So that each window lies inside, whatever the image's size.
  options.paddings = {(height * 2 - 1) / 2 + 1, height, (width * 2 - 1) / 2 + 1, width};
  if (builder.dice().chance(20)) options.padding_algorithm = "SAME";
  return convolved(builder, x, filters, options, height, width);
}

// 3 x 3 with a stride of 1: Winograd's method takes it where there are enough channels.
Variable square_convolution(ModelBuilder& builder, const Variable& x, std::int64_t filters) {
  Conv2dOptions options;
  options.paddings = {1, 1};
  return convolved(builder, x, filters, options, 3, 3);
}

Variable grouped_convolution(ModelBuilder& builder, const Variable& x) {
  Conv2dOptions options;
  const std::int64_t channels = x.shape()[1];
  options.groups = builder.dice().chance(70) || channels % 2 != 0 ? channels : 2;
  options.paddings = {1, 1};
  options.strides = Integers(2, builder.one_of({1, 1, 2}));
  return convolved(builder, x, channels, options, 3, 3);
}

Variable normalised(ModelBuilder& builder, const Variable& x) {
  const Shape channels{x.shape()[1]};
  const DType wide = x.dtype() == kFloat64 ? kFloat64 : kFloat32;
  BatchNormOptions options;
  options.is_test = true;
  const Variable factor = builder.parameter(channels, x.dtype(), 0.1, 1);
  const Variable shift = builder.parameter(channels, x.dtype(), 0.1);
  const Variable mean = builder.parameter(channels, wide, 0.1);
  const Variable variance = builder.parameter(channels, wide, 0.1, 1);
  return batch_norm(x, factor, shift, mean, variance, options);
}

Variable pooled(ModelBuilder& builder, const Variable& x) {
  Pool2dOptions options;
  options.pooling_type = builder.traits().is_smooth || builder.dice().chance(50) ? "avg" : "max";
  options.ksize = {builder.one_of({2, 3}), builder.one_of({1, 2, 3})};
  options.strides = {builder.one_of({1, 2}), builder.one_of({1, 2, 3})};
  options.padding_algorithm = "SAME";
  options.exclusive = builder.dice().chance(50);
  const std::int64_t smallest = std::min(x.shape()[2], x.shape()[3]);
  if (smallest >= 3 && builder.dice().chance(50)) {
    options.padding_algorithm = "EXPLICIT";
    options.paddings = {options.ksize[0] / 2, options.ksize[1] / 2};
    options.ceil_mode = builder.dice().chance(50);
  }
  return pool2d(x, options);
}

Variable global_means(const Variable& x) {
  Pool2dOptions options;
  options.pooling_type = "avg";
  options.global_pooling = true;
  return pool2d(x, options);
}

// Multiplies by factors of channels, which broadcast.
Variable excited(ModelBuilder& builder, const Variable& x) {
  const Variable means = global_means(x);
  return x * sigmoid(convolved(builder, means, x.shape()[1], {}, 1, 1));
}

// The image, or one number for each channel; neither lies as images may.
Variable shifted(ModelBuilder& builder, const Variable& x) {
  Shape shape = x.shape();
  shape.set(0, 1);
  if (builder.dice().chance(50)) shape = {1, x.shape()[1], 1, 1};
  return x + builder.parameter(shape, x.dtype(), 0.5);
}

Variable residual(ModelBuilder& builder, const Variable& x) {
  const Variable inner = builder.activation(square_convolution(builder, x, 16));
  Variable outer = square_convolution(builder, inner, x.shape()[1]);
  if (builder.dice().chance(50)) outer = normalised(builder, outer);
  return builder.activation(builder.dice().chance(50) ? x + outer : outer + x);
}

Variable resized(ModelBuilder& builder, const Variable& x) {
  BilinearInterpOptions options;
  options.out_h = builder.one_of({3, 8, 13});
  options.out_w = builder.one_of({4, 9, 12});
  options.align_corners = builder.dice().chance(50);
  return bilinear_interp(x, options);
}

// Channels last by hand, and back.
Variable turned(ModelBuilder& builder, const Variable& x) {
  const Variable last = builder.activation(transpose(x, {0, 2, 3, 1}));
  return transpose(last, {0, 3, 1, 2});
}

Variable cut_and_joined(ModelBuilder& builder, const Variable& x) {
  const std::int64_t channels = x.shape()[1];
  if (channels < 2) return concat(std::vector<Variable>{x, builder.another_like(x)}, 1);
  const std::vector<Variable> parts = split(x, Integers{channels / 2, channels - channels / 2}, 1);
  const Variable first = builder.activation(square_convolution(builder, parts[0], 8));
  return concat(std::vector<Variable>{parts[1], first}, 1);
}

}  // namespace

Variable image_step(ModelBuilder& builder, const Variable& images) {
  const std::int64_t filters = builder.one_of({1, 3, 8, 16, 19, 32, 32, 40});
  switch (builder.dice().below(15)) {
    case 0: return any_convolution(builder, images, filters);
    case 1: return builder.activation(square_convolution(builder, images, filters));
    case 2: return square_convolution(builder, images, filters);
    case 3: return builder.activation(any_convolution(builder, images, filters));
    case 4: return grouped_convolution(builder, images);
    case 5:
      return builder.activation(normalised(builder, square_convolution(builder, images, filters)));
    case 6: return pooled(builder, images);
    case 7: return excited(builder, images);
    case 8: return shifted(builder, images);
    case 9:
    case 10: return residual(builder, images);
    case 11: return resized(builder, images);
    case 12: return turned(builder, images);
    case 13: return cut_and_joined(builder, images);
    default: return images + builder.another_like(images);
  }
}

}  // namespace loci::test
