#include "tests/bench/mobilenet.h"

#include <algorithm>
#include <cstdint>

#include "tests/bench/conv_norm.h"

namespace loci::bench {
namespace {

// Channel counts are multiples of eight.
std::int64_t rounded(std::int64_t channels) {
  return std::max<std::int64_t>((channels + 4) / 8 * 8, 8);
}

// Squeeze-and-excite: channels weighted by what their means say.
class Excitation : public nn::Module {
 public:
  explicit Excitation(std::int64_t channels)
      : squeeze_(channels, rounded(channels / 4), 1), expand_(rounded(channels / 4), channels, 1) {
    register_child("squeeze", squeeze_);
    register_child("expand", expand_);
  }
  Tensor forward(const Tensor& x) override {
    return x * hard_sigmoid(expand_(relu(squeeze_(channel_means(x)))));
  }

 private:
  nn::Conv2d squeeze_;
  nn::Conv2d expand_;
};

struct Stage {
  std::int64_t kernel;
  std::int64_t expansion;
  std::int64_t out;
  bool excites;
  bool swishes;
  std::int64_t stride;
};

// An inverted residual.
class Bottleneck : public nn::Module {
 public:
  Bottleneck(std::int64_t in, const Stage& stage)
      : stage_(stage),
        is_residual_(in == stage.out && stage.stride == 1),
        depthwise_(stage.expansion, stage.expansion, stage.kernel, stage.stride, stage.expansion),
        project_(stage.expansion, stage.out, 1, 1) {
    if (stage.expansion != in) {
      expand_ = std::make_shared<ConvNorm>(in, stage.expansion, 1, 1);
      register_child("expand", expand_);
    }
    register_child("depthwise", depthwise_);
    if (stage.excites) {
      excitation_ = std::make_shared<Excitation>(stage.expansion);
      register_child("excitation", excitation_);
    }
    register_child("project", project_);
  }
  Tensor forward(const Tensor& x) override {
    Tensor inner = expand_ == nullptr ? x : activate((*expand_)(x));
    inner = activate(depthwise_(inner));
    if (excitation_ != nullptr) inner = (*excitation_)(inner);
    const Tensor out = project_(inner);
    return is_residual_ ? out + x : out;
  }

 private:
  [[nodiscard]] Tensor activate(const Tensor& x) const {
    return stage_.swishes ? hard_swish(x) : relu(x);
  }

  Stage stage_;
  bool is_residual_;
  std::shared_ptr<ConvNorm> expand_;
  ConvNorm depthwise_;
  std::shared_ptr<Excitation> excitation_;
  ConvNorm project_;
};

constexpr Stage kStages[] = {
    {3, 16, 16, false, false, 1}, {3, 64, 24, false, false, 2}, {3, 72, 24, false, false, 1},
    {5, 72, 40, true, false, 2},  {5, 120, 40, true, false, 1}, {5, 120, 40, true, false, 1},
    {3, 240, 80, false, true, 2}, {3, 200, 80, false, true, 1}, {3, 184, 80, false, true, 1},
    {3, 184, 80, false, true, 1}, {3, 480, 112, true, true, 1}, {3, 672, 112, true, true, 1},
    {5, 672, 160, true, true, 2}, {5, 960, 160, true, true, 1}, {5, 960, 160, true, true, 1},
};

}  // namespace

std::shared_ptr<nn::Module> mobilenet_v3() {
  auto net = std::make_shared<nn::Sequential>();
  const auto swish = [] { return std::make_shared<nn::Hardswish>(); };
  net->add<ConvNorm>(3, 16, 3, 2).add(swish());
  std::int64_t channels = 16;
  for (const Stage& stage : kStages) {
    net->add<Bottleneck>(channels, stage);
    channels = stage.out;
  }
  net->add<ConvNorm>(channels, 960, 1, 1).add(swish());
  net->add(
      std::make_shared<Function>([](const Tensor& x) { return flatten(channel_means(x), 1); }));
  net->add<nn::Linear>(960, 1280).add(swish()).add<nn::Linear>(1280, 1000);
  return net;
}

}  // namespace loci::bench
