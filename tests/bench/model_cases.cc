#include "tests/bench/model_cases.h"

#include "tests/bench/conv_norm.h"
#include "tests/bench/encoder.h"
#include "tests/bench/gpt_decode.h"
#include "tests/bench/mobilenet.h"

namespace loci::bench {
namespace {

std::shared_ptr<nn::Module> global_pool() {
  return std::make_shared<Function>([](const Tensor& x) { return flatten(channel_means(x), 1); });
}

std::shared_ptr<nn::Module> max_pool() {
  return std::make_shared<Function>([](const Tensor& x) {
    Pool2dOptions options;
    options.ksize = {3, 3};
    options.strides = {2, 2};
    options.paddings = {1, 1};
    return pool2d(x, options);
  });
}

// The basic block of He et al., Deep Residual Learning for Image Recognition (2015).
class BasicBlock : public nn::Module {
 public:
  BasicBlock(std::int64_t in, std::int64_t out, std::int64_t stride)
      : first_(in, out, 3, stride), second_(out, out, 3, 1) {
    register_child("first", first_);
    register_child("second", second_);
    if (in == out && stride == 1) return;
    shortcut_ = std::make_shared<ConvNorm>(in, out, 1, stride);
    register_child("shortcut", shortcut_);
  }
  Tensor forward(const Tensor& x) override {
    const Tensor main = second_(relu(first_(x)));
    return relu(main + (shortcut_ == nullptr ? x : (*shortcut_)(x)));
  }

 private:
  ConvNorm first_;
  ConvNorm second_;
  std::shared_ptr<ConvNorm> shortcut_;
};

void add_blocks(nn::Sequential* net, std::int64_t count, std::int64_t in, std::int64_t out) {
  for (std::int64_t i = 0; i < count; ++i) {
    net->add<BasicBlock>(i == 0 ? in : out, out, i == 0 && in != out ? 2 : 1);
  }
}

std::shared_ptr<nn::Module> resnet18() {
  auto net = std::make_shared<nn::Sequential>();
  net->add<ConvNorm>(3, 64, 7, 2).add<nn::ReLU>().add(max_pool());
  add_blocks(net.get(), 2, 64, 64);
  add_blocks(net.get(), 2, 64, 128);
  add_blocks(net.get(), 2, 128, 256);
  add_blocks(net.get(), 2, 256, 512);
  net->add(global_pool()).add<nn::Linear>(512, 1000);
  return net;
}

// A small one for images of 32 x 32: ten layers with weights.
std::shared_ptr<nn::Module> res10() {
  auto net = std::make_shared<nn::Sequential>();
  net->add<ConvNorm>(3, 16, 3, 1).add<nn::ReLU>();
  add_blocks(net.get(), 1, 16, 16);
  add_blocks(net.get(), 1, 16, 32);
  add_blocks(net.get(), 1, 32, 64);
  net->add(global_pool()).add<nn::Linear>(64, 10);
  return net;
}

std::shared_ptr<nn::Module> mlp() {
  auto net = std::make_shared<nn::Sequential>();
  net->add<nn::Linear>(784, 512).add<nn::ReLU>();
  net->add<nn::Linear>(512, 256).add<nn::ReLU>().add<nn::Linear>(256, 10);
  return net;
}

std::shared_ptr<nn::Module> small_encoder() { return encoder({12, 384, 6}, kFloat32); }

}  // namespace

std::vector<ModelCase> model_cases() {
  return {
      {"MLP b1", mlp, {1, 784}},
      {"MLP b32", mlp, {32, 784}},
      {"res10 b1", res10, {1, 3, 32, 32}},
      {"res10 b32", res10, {32, 3, 32, 32}},
      {"ResNet-18 b1", resnet18, {1, 3, 224, 224}},
      {"ResNet-18 b8", resnet18, {8, 3, 224, 224}},
      {"encoder b1", small_encoder, {1, 128, 384}},
      {"encoder b8", small_encoder, {8, 128, 384}},
      {"MobileNetV3 b1", mobilenet_v3, {1, 3, 224, 224}},
      {"MobileNetV3 b8", mobilenet_v3, {8, 3, 224, 224}},
      {"GPT decode b1", gpt_decode, {1, 1, 768}},
  };
}

}  // namespace loci::bench
