#include "tests/bench/constant_conv_cases.h"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace loci::bench {
namespace {

// A convolution of square images by square windows, padded by half a window on each side.
struct Conv {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t size = 1;
  std::int64_t filters = 1;
  std::int64_t window = 3;
  std::int64_t stride = 1;
  std::int64_t groups = 1;

  [[nodiscard]] Shape image() const { return {batch, channels, size, size}; }
  [[nodiscard]] Shape filter() const { return {filters, channels / groups, window, window}; }
  [[nodiscard]] Conv2dOptions options() const {
    Conv2dOptions options;
    options.paddings = {window / 2, window / 2};
    options.strides = {stride, stride};
    options.groups = groups;
    return options;
  }
};

// A program of one convolution, whose filter is a parameter. Its images come and go in the plain
// layout.
class CompiledConv {
 public:
  CompiledConv(const Conv& conv, const Tensor& filter) : executor_("cpu", {}, scope_) {
    scope_.set("filter", filter);
    const ProgramGuard building(program_, startup_);
    const Variable x = data("x", conv.image(), kFloat32);
    const Variable weights =
        create_parameter(filter.shape(), kFloat32, initializer::constant(0), "filter");
    out_ = conv2d(x, weights, conv.options());
  }
  Tensor run(const Tensor& x) { return executor_.run(program_, {{"x", x}}, {out_})[0]; }

 private:
  Scope scope_;
  Program program_;
  Program startup_;
  Executor executor_;
  Variable out_;
};

KernelCase constant_conv(const std::string& name, const Conv& conv) {
  const Tensor filter = randn(conv.filter());
  const auto compiled = std::make_shared<CompiledConv>(conv, filter);
  const std::int64_t padding = conv.window / 2;
  return {fmt::format("{} by a constant [{},{},{},{}]", name, conv.batch, conv.channels, conv.size,
                      conv.size),
          {randn(conv.image()), filter},
          [compiled](const std::vector<Tensor>& in) { return compiled->run(in[0]); },
          fmt::format("F.conv2d(x, y, padding={}, stride={}, groups={})", padding, conv.stride,
                      conv.groups),
          fmt::format("[node('Conv', ['x', 'y'], pads=[{}] * 4, strides=[{}] * 2, group={})]",
                      padding, conv.stride, conv.groups),
          1e-3,
          /*constants=*/1};
}

KernelCase plain_conv(std::int64_t batch, std::int64_t channels, std::int64_t size) {
  return constant_conv("conv2d 3x3",
                       {.batch = batch, .channels = channels, .size = size, .filters = channels});
}

}  // namespace

std::vector<KernelCase> constant_conv_cases() {
  std::vector<KernelCase> cases;
  for (const std::int64_t batch : {1, 8}) {
    cases.push_back(plain_conv(batch, 64, 56));
    cases.push_back(plain_conv(batch, 128, 28));
    cases.push_back(plain_conv(batch, 256, 14));
    cases.push_back(plain_conv(batch, 512, 7));
    cases.push_back(constant_conv(
        "depthwise 3x3",
        {.batch = batch, .channels = 144, .size = 56, .filters = 144, .groups = 144}));
    cases.push_back(
        constant_conv("conv2d 1x1 to 64",
                      {.batch = batch, .channels = 256, .size = 56, .filters = 64, .window = 1}));
  }
  cases.push_back(constant_conv(
      "conv2d 7x7/2 to 64", {.channels = 3, .size = 224, .filters = 64, .window = 7, .stride = 2}));
  return cases;
}

}  // namespace loci::bench
