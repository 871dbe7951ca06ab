// Attributes and extents of pool2d and its gradient.
//
// The attributes are read when a kernel is created, which allocates; a shape is plain data, made in
// prepare. Nothing here checks: the schema has done so.
#pragma once

#include <cstdint>
#include <loci/plugin/attributes.hpp>
#include <loci/plugin/dims.hpp>
#include <loci/plugin/window.hpp>
#include <vector>

namespace loci::sdk {

struct PoolOptions {
  WindowOptions window;
  std::vector<std::int64_t> ksize;  // [height, width]; may be empty with global pooling
  bool is_max = true;               // else the mean
  bool exclusive = true;            // padding does not count as elements of a mean
};

inline PoolOptions read_pool_options(const AttributeReader& attributes) {
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

struct PoolShape {
  Window2d window;
  std::int64_t planes = 0;  // batch times channels
};

// x: [batch, channels, height, width].
inline PoolShape pool_shape(Dims x, const PoolOptions& options) {
  PoolShape shape;
  // Global pooling needs no size, and may come without one.
  const bool sized = !options.window.global_pooling;
  shape.window = resolve_window(options.window, {x[2], x[3]},
                                {sized ? options.ksize[0] : 0, sized ? options.ksize[1] : 0});
  shape.planes = x[0] * x[1];
  return shape;
}

}  // namespace loci::sdk
