#include "framework/ops/window_attributes.h"

#include <loci/attribute.hpp>

namespace loci::ops {
namespace {

using Integers = std::vector<std::int64_t>;

bool has_attribute(const InferContext& ctx, std::string_view name) {
  return ctx.schema().find_attribute(name) != nullptr;
}

void require_range(const InferContext& ctx, std::string_view attribute, const Integers& values,
                   std::int64_t low) {
  for (const std::int64_t value : values) {
    if (value >= low && value <= sdk::kMaxWindowExtent) continue;
    ctx.fail("{} {} has {}; give values in [{}, {}]", attribute, to_string(values), value, low,
             sdk::kMaxWindowExtent);
  }
}

Integers read_paddings(const InferContext& ctx) {
  const auto& paddings = ctx.attr<Integers>("paddings");
  if (paddings.size() != 2 && paddings.size() != 4) {
    ctx.fail("paddings {} has {} values; give [height, width] or [top, bottom, left, right]",
             to_string(paddings), paddings.size());
  }
  require_range(ctx, "paddings", paddings, 0);
  return paddings;
}

// A flag that the op may lack.
bool read_flag(const InferContext& ctx, std::string_view name) {
  return has_attribute(ctx, name) && ctx.attr<bool>(name);
}

Integers as_list(const std::array<std::int64_t, 2>& pair) { return {pair[0], pair[1]}; }

std::int64_t outputs_along(const InferContext& ctx, const sdk::WindowOptions& options,
                           std::size_t dimension, std::int64_t input, std::int64_t kernel) {
  const char* name = dimension == 0 ? "height" : "width";
  if (input > sdk::kMaxWindowExtent) {
    ctx.fail("the {} {} is too large; at most {} is supported", name, input, sdk::kMaxWindowExtent);
  }
  if (kernel < 0 && !options.global_pooling) return kDynamicDim;
  const sdk::WindowAxis axis = sdk::resolve_window_axis(options, dimension, input, kernel);
  if (axis.output == 0) {
    ctx.fail(
        "no window fits: along the {} a window spans {}, the input has {}, and the padding is {} "
        "before and {} after; use a larger input, more padding or a smaller window",
        name, axis.span(), input, axis.before, axis.after);
  }
  return axis.output;
}

}  // namespace

std::array<std::int64_t, 2> window_pair(const InferContext& ctx, std::string_view attribute,
                                        std::int64_t low) {
  const auto& values = ctx.attr<Integers>(attribute);
  if (values.size() != 2) {
    ctx.fail("{} {} has {} values; give [height, width]", attribute, to_string(values),
             values.size());
  }
  require_range(ctx, attribute, values, low);
  return {values[0], values[1]};
}

sdk::WindowOptions window_options(const InferContext& ctx) {
  sdk::WindowOptions options;
  options.strides = as_list(window_pair(ctx, "strides", 1));
  options.paddings = read_paddings(ctx);
  if (has_attribute(ctx, "dilations")) {
    options.dilations = as_list(window_pair(ctx, "dilations", 1));
  }
  options.padding_algorithm = ctx.attr<std::string>("padding_algorithm");
  if (!sdk::is_padding_algorithm(options.padding_algorithm)) {
    ctx.fail("padding_algorithm is \"{}\"; give \"EXPLICIT\", \"SAME\" or \"VALID\"",
             options.padding_algorithm);
  }
  options.ceil_mode = read_flag(ctx, "ceil_mode");
  options.global_pooling = read_flag(ctx, "global_pooling");
  return options;
}

std::array<std::int64_t, 2> window_outputs(const InferContext& ctx, std::string_view slot,
                                           const sdk::WindowOptions& options,
                                           const std::array<std::int64_t, 2>& kernel) {
  const Shape& image = ctx.shape(slot);
  return {outputs_along(ctx, options, 0, image[2], kernel[0]),
          outputs_along(ctx, options, 1, image[3], kernel[1])};
}

}  // namespace loci::ops
