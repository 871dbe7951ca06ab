// Attributes and extents of conv2d and its gradients.
//
// The attributes are read when a kernel is created, which allocates; a shape is plain data, made in
// prepare. Nothing here checks: the schema has done so.
#pragma once

#include <cstdint>
#include <loci/plugin/attributes.hpp>
#include <loci/plugin/dims.hpp>
#include <loci/plugin/window.hpp>

namespace loci::sdk {

struct ConvOptions {
  WindowOptions window;
  std::int64_t groups = 1;
};

inline ConvOptions read_conv_options(const AttributeReader& attributes) {
  ConvOptions options;
  options.window.strides = attributes.integers("strides");
  options.window.paddings = attributes.integers("paddings");
  options.window.dilations = attributes.integers("dilations");
  options.window.padding_algorithm = attributes.text("padding_algorithm");
  options.groups = attributes.integer("groups");
  return options;
}

// Images are [batch, groups * group_channels, height, width], filters [groups * group_filters,
// group_channels, height, width], results [batch, groups * group_filters, height, width].
struct ConvShape {
  Window2d window;
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
  // Counts the multiplications of the forward pass, and of each gradient; as a double, because they
  // may be more than any integer holds.
  [[nodiscard]] double multiplications() const {
    return static_cast<double>(batch * groups) * static_cast<double>(group_filters * windows()) *
           static_cast<double>(window_size());
  }
};

// x: the image's extents.
inline ConvShape conv_shape(Dims x, Dims filter, const ConvOptions& options) {
  ConvShape shape;
  shape.window = resolve_window(options.window, {x[2], x[3]}, {filter[2], filter[3]});
  shape.batch = x[0];
  shape.groups = options.groups;
  shape.group_channels = filter[1];
  shape.group_filters = filter[0] / options.groups;
  return shape;
}

}  // namespace loci::sdk
