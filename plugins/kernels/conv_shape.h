// Attributes and extents of conv2d and pool2d.
#pragma once

#include <cstdint>
#include <loci/plugin/attributes.hpp>
#include <loci/plugin/views.hpp>
#include <loci/plugin/window.hpp>
#include <string>
#include <vector>

namespace loci::kernels {

struct ConvOptions {
  sdk::WindowOptions window;
  std::int64_t groups = 1;
};

ConvOptions read_conv_options(const sdk::AttributeReader& attributes);

struct ConvShape {
  sdk::Window2d window;
  std::int64_t batch = 0;
  std::int64_t groups = 1;
  std::int64_t group_channels = 0;
  std::int64_t group_filters = 0;

  [[nodiscard]] std::int64_t kernel_size() const {
    return window.height.kernel * window.width.kernel;
  }
  // Weights of one filter.
  [[nodiscard]] std::int64_t window_size() const { return group_channels * kernel_size(); }
  // Windows, and pixels, of one channel.
  [[nodiscard]] std::int64_t windows() const { return window.height.output * window.width.output; }
  [[nodiscard]] std::int64_t image_size() const { return window.height.input * window.width.input; }
  // Of the forward pass and of each gradient.
  [[nodiscard]] double multiplications() const;
};

ConvShape conv_shape(sdk::Dims x, sdk::Dims filter, const ConvOptions& options);

struct PoolOptions {
  sdk::WindowOptions window;
  std::vector<std::int64_t> ksize;
  bool is_max = true;
  bool exclusive = true;
};

PoolOptions read_pool_options(const sdk::AttributeReader& attributes);

struct PoolShape {
  sdk::Window2d window;
  std::int64_t planes = 0;  // batch times channels
};

PoolShape pool_shape(sdk::Dims x, const PoolOptions& options);

}  // namespace loci::kernels
