#include "tests/bench/constant_conv_cases.h"

#include <memory>
#include <string>

namespace loci::bench {
namespace {

// A program of one convolution, whose filter is a parameter.
class CompiledConv {
 public:
  CompiledConv(const Shape& image, const Tensor& filter) : executor_("cpu", {}, scope_) {
    scope_.set("filter", filter);
    const ProgramGuard building(program_, startup_);
    const Variable x = data("x", image, kFloat32);
    const Variable weights =
        create_parameter(filter.shape(), kFloat32, initializer::constant(0), "filter");
    Conv2dOptions options;
    options.paddings = {1, 1};
    out_ = conv2d(x, weights, options);
  }
  Tensor run(const Tensor& x) { return executor_.run(program_, {{"x", x}}, {out_})[0]; }

 private:
  Scope scope_;
  Program program_;
  Program startup_;
  Executor executor_;
  Variable out_;
};

KernelCase constant_conv(std::int64_t batch, std::int64_t channels, std::int64_t size) {
  const Tensor image = randn({batch, channels, size, size});
  const Tensor filter = randn({channels, channels, 3, 3});
  const auto compiled = std::make_shared<CompiledConv>(image.shape(), filter);
  const std::string sizes = std::to_string(batch) + "," + std::to_string(channels) + "," +
                            std::to_string(size) + "," + std::to_string(size);
  return {"conv2d 3x3 by a constant [" + sizes + "]",
          {image, filter},
          [compiled](const std::vector<Tensor>& in) { return compiled->run(in[0]); },
          "F.conv2d(x, y, padding=1)",
          "[node('Conv', ['x', 'y'], pads=[1] * 4)]",
          1e-3,
          /*constants=*/1};
}

}  // namespace

std::vector<KernelCase> constant_conv_cases() {
  std::vector<KernelCase> cases;
  for (const std::int64_t batch : {1, 8}) {
    cases.push_back(constant_conv(batch, 64, 56));
    cases.push_back(constant_conv(batch, 128, 28));
    cases.push_back(constant_conv(batch, 256, 14));
    cases.push_back(constant_conv(batch, 512, 7));
  }
  return cases;
}

}  // namespace loci::bench
