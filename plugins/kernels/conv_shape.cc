#include "plugins/kernels/conv_shape.h"

#include <algorithm>

namespace loci::kernels {

ConvOptions read_conv_options(const sdk::AttributeReader& attributes) {
  ConvOptions options;
  options.window.strides = attributes.integers("strides");
  options.window.paddings = attributes.integers("paddings");
  options.window.dilations = attributes.integers("dilations");
  options.window.padding_algorithm = attributes.text("padding_algorithm");
  options.groups = attributes.integer("groups");
  return options;
}

double ConvShape::multiplications() const {
  return static_cast<double>(batch * groups) * static_cast<double>(group_filters * windows()) *
         static_cast<double>(window_size());
}

ConvShape conv_shape(sdk::Dims x, sdk::Dims filter, const ConvOptions& options) {
  ConvShape shape;
  shape.window = sdk::resolve_window(options.window, {x[2], x[3]}, {filter[2], filter[3]});
  shape.batch = x[0];
  shape.groups = options.groups;
  shape.group_channels = filter[1];
  shape.group_filters = filter[0] / options.groups;
  return shape;
}

PoolOptions read_pool_options(const sdk::AttributeReader& attributes) {
  PoolOptions options;
  options.window.strides = attributes.integers("strides");
  options.window.paddings = attributes.integers("paddings");
  options.window.padding_algorithm = attributes.text("padding_algorithm");
  options.window.ceil_mode = attributes.boolean("ceil_mode");
  options.window.global_pooling = attributes.boolean("global_pooling");
  options.ksize = attributes.integers("ksize");
  options.is_max = attributes.text("pooling_type") == "max";
  options.exclusive = attributes.boolean("exclusive");
  return options;
}

PoolShape pool_shape(sdk::Dims x, const PoolOptions& options) {
  PoolShape shape;
  // Global pooling needs no size, and may come without one.
  const bool sized = !options.window.global_pooling;
  shape.window = sdk::resolve_window(options.window, {x[2], x[3]},
                                     {sized ? options.ksize[0] : 0, sized ? options.ksize[1] : 0});
  shape.planes = x[0] * x[1];
  return shape;
}

}  // namespace loci::kernels
