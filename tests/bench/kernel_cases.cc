#include "tests/bench/kernel_cases.h"

#include <utility>

#include "tests/bench/constant_conv_cases.h"
#include "tests/bench/constant_product_cases.h"
#include "tests/bench/line_cases.h"

namespace loci::bench {
namespace {

using Tensors = std::vector<Tensor>;

Tensor values(const Shape& shape) { return randn(shape); }

Tensor indices(std::int64_t count, std::int64_t end) {
  std::vector<std::int64_t> result;
  std::uint64_t state = 1;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    result.push_back(static_cast<std::int64_t>((state >> 33U) % static_cast<std::uint64_t>(end)));
  }
  return Tensor::from(result, {count});
}

Pool2dOptions pool(const std::string& type, std::int64_t size, std::int64_t stride,
                   std::int64_t padding) {
  Pool2dOptions options;
  options.pooling_type = type;
  options.ksize = {size, size};
  options.strides = {stride, stride};
  options.paddings = {padding, padding};
  options.exclusive = false;
  return options;
}

void add_pooling(std::vector<KernelCase>* cases) {
  const Tensor image = values({1, 64, 112, 112});
  cases->push_back({"max_pool 3x3/2 [1,64,112,112]",
                    {image},
                    [](const Tensors& in) { return pool2d(in[0], pool("max", 3, 2, 1)); },
                    "F.max_pool2d(x, 3, 2, 1)",
                    "[node('MaxPool', ['x'], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)]",
                    0});
  cases->push_back({"max_pool 2x2/2 [1,64,112,112]",
                    {image},
                    [](const Tensors& in) { return pool2d(in[0], pool("max", 2, 2, 0)); },
                    "F.max_pool2d(x, 2, 2)",
                    "[node('MaxPool', ['x'], kernel_shape=[2, 2], strides=[2, 2])]",
                    0});
  cases->push_back({"avg_pool 3x3/2 [1,64,112,112]",
                    {image},
                    [](const Tensors& in) { return pool2d(in[0], pool("avg", 3, 2, 1)); },
                    "F.avg_pool2d(x, 3, 2, 1)",
                    "[node('AveragePool', ['x'], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4,"
                    " count_include_pad=1)]"});
  const auto add_global = [&](const std::string& name, const Shape& shape) {
    cases->push_back({name,
                      {values(shape)},
                      [](const Tensors& in) {
                        Pool2dOptions options;
                        options.pooling_type = "avg";
                        options.global_pooling = true;
                        return pool2d(in[0], options);
                      },
                      "F.adaptive_avg_pool2d(x, 1)",
                      "[node('GlobalAveragePool', ['x'])]"});
  };
  add_global("global_pool [8,512,7,7]", {8, 512, 7, 7});
  add_global("global_pool [8,2048,7,7]", {8, 2048, 7, 7});
}

void add_casts(std::vector<KernelCase>* cases) {
  const Tensor x = values({1024, 1024});
  cases->push_back({"cast f32 to f16 [1M]",
                    {x},
                    [](const Tensors& in) { return cast(in[0], kFloat16); },
                    "x.half()",
                    "[node('Cast', ['x'], to=10)]",
                    0});
  cases->push_back({"cast f16 to f32 [1M]",
                    {cast(x, kFloat16)},
                    [](const Tensors& in) { return cast(in[0], kFloat32); },
                    "x.float()",
                    "[node('Cast', ['x'], to=1)]",
                    0});
}

// One function of each element: the name in Loci, PyTorch's, ONNX's nodes.
void add_unary(std::vector<KernelCase>* cases, const std::string& name,
               Tensor (*run)(const Tensor&), const std::string& torch, const std::string& onnx,
               double tolerance = 1e-5) {
  cases->push_back({name + " [1M]",
                    {values({1024, 1024})},
                    [run](const Tensors& in) { return run(in[0]); },
                    torch,
                    onnx,
                    tolerance});
}

void add_activations(std::vector<KernelCase>* cases) {
  add_unary(
      cases, "sigmoid", [](const Tensor& x) { return sigmoid(x); }, "torch.sigmoid(x)",
      "[node('Sigmoid', ['x'])]");
  add_unary(
      cases, "tanh", [](const Tensor& x) { return tanh(x); }, "torch.tanh(x)",
      "[node('Tanh', ['x'])]");
  add_unary(
      cases, "erf", [](const Tensor& x) { return erf(x); }, "torch.erf(x)", "[node('Erf', ['x'])]");
  add_unary(
      cases, "gelu", [](const Tensor& x) { return gelu(x); }, "F.gelu(x)", "");
  add_unary(
      cases, "gelu (tanh)", [](const Tensor& x) { return gelu(x, true); },
      "F.gelu(x, approximate='tanh')", "");
  add_unary(
      cases, "exp", [](const Tensor& x) { return exp(x); }, "torch.exp(x)", "[node('Exp', ['x'])]");
  add_unary(
      cases, "sin", [](const Tensor& x) { return sin(x); }, "torch.sin(x)", "[node('Sin', ['x'])]");
  add_unary(
      cases, "cos", [](const Tensor& x) { return cos(x); }, "torch.cos(x)", "[node('Cos', ['x'])]");
  add_unary(
      cases, "silu", [](const Tensor& x) { return silu(x); }, "F.silu(x)", "");
  add_unary(
      cases, "softplus", [](const Tensor& x) { return softplus(x); }, "F.softplus(x)",
      "[node('Softplus', ['x'])]");
  add_unary(
      cases, "relu", [](const Tensor& x) { return relu(x); }, "torch.relu(x)",
      "[node('Relu', ['x'])]", 0);
}

void add_elementwise(std::vector<KernelCase>* cases) {
  const Tensor x = values({1024, 1024});
  cases->push_back({"add [1M]",
                    {x, values({1024, 1024})},
                    [](const Tensors& in) { return in[0] + in[1]; },
                    "x + y",
                    "[node('Add', ['x', 'y'])]",
                    0});
  cases->push_back({"add a row [1M]",
                    {x, values({1024})},
                    [](const Tensors& in) { return in[0] + in[1]; },
                    "x + y",
                    "[node('Add', ['x', 'y'])]",
                    0});
  cases->push_back({"randn [1M]",
                    {},
                    [](const Tensors&) {
                      return randn({1024, 1024});
                    },
                    "torch.randn(1024, 1024)",
                    "",
                    -1});
}

void add_indexing(std::vector<KernelCase>* cases) {
  cases->push_back({"gather, axis 1 [1024,1024] by 512",
                    {values({1024, 1024}), indices(512, 1024)},
                    [](const Tensors& in) { return gather(in[0], in[1], 1); },
                    "torch.index_select(x, 1, y)",
                    "[node('Gather', ['x', 'y'], axis=1)]",
                    0});
  cases->push_back({"gather, axis 0 [16384,256] by 4096",
                    {values({16384, 256}), indices(4096, 16384)},
                    [](const Tensors& in) { return gather(in[0], in[1], 0); },
                    "torch.index_select(x, 0, y)",
                    "[node('Gather', ['x', 'y'], axis=0)]",
                    0});
  cases->push_back({"argmax [1024,1024]",
                    {values({1024, 1024})},
                    [](const Tensors& in) { return argmax(in[0], -1); },
                    "torch.argmax(x, -1)",
                    "[node('ArgMax', ['x'], axis=-1, keepdims=0)]",
                    0});
  cases->push_back({"transpose to NHWC [1,64,112,112]",
                    {values({1, 64, 112, 112})},
                    [](const Tensors& in) {
                      return transpose(in[0], {0, 2, 3, 1});
                    },
                    "x.permute(0, 2, 3, 1).contiguous()",
                    "[node('Transpose', ['x'], perm=[0, 2, 3, 1])]",
                    0});
  cases->push_back({"transpose [1024,1024]",
                    {values({1024, 1024})},
                    [](const Tensors& in) {
                      return transpose(in[0], {1, 0});
                    },
                    "x.t().contiguous()",
                    "[node('Transpose', ['x'], perm=[1, 0])]",
                    0});
}

// Decoders make images twice as large so.
void add_transposed_convolutions(std::vector<KernelCase>* cases) {
  cases->push_back({"conv2d_transpose 4x4/2 to 128 [1,256,28,28]",
                    {values({1, 256, 28, 28}), values({256, 128, 4, 4})},
                    [](const Tensors& in) {
                      ConvTranspose2dOptions options;
                      options.strides = {2, 2};
                      options.paddings = {1, 1};
                      return conv2d_transpose(in[0], in[1], options);
                    },
                    "F.conv_transpose2d(x, y, stride=2, padding=1)",
                    "[node('ConvTranspose', ['x', 'y'], strides=[2, 2], pads=[1] * 4)]",
                    1e-4});
}

void add_pads(std::vector<KernelCase>* cases) {
  const auto add = [&](const std::string& mode) {
    cases->push_back({"pad by 1, " + mode + " [1,64,112,112]",
                      {values({1, 64, 112, 112})},
                      [mode](const Tensors& in) {
                        return pad(in[0], {0, 0, 1, 1, 0, 0, 1, 1}, mode);
                      },
                      "F.pad(x, (1, 1, 1, 1), mode='" + mode + "')",
                      "[onnx.helper.make_node('Constant', [], ['pads'],"
                      " value_ints=[0, 0, 1, 1, 0, 0, 1, 1]),"
                      " node('Pad', ['x', 'pads'], mode='" +
                          mode + "')]",
                      0});
  };
  add("constant");
  add("reflect");
}

// Messages of a graph network: a row of each edge is added to that of a node.
void add_positions(std::vector<KernelCase>* cases) {
  constexpr std::int64_t kNodes = 10'000;
  constexpr std::int64_t kEdges = 50'000;
  constexpr std::int64_t kWidth = 64;
  cases->push_back({"scatter-add of rows [50000,64]",
                    {values({kNodes, kWidth}), indices(kEdges, kNodes), values({kEdges, kWidth})},
                    [](const Tensors& in) {
                      return scatter_nd(in[0], reshape(in[1], {kEdges, 1}), in[2], "add");
                    },
                    "x.index_add(0, y, z)",
                    "",
                    1e-4});
  cases->push_back({"gather_elements [1024,1024] by [1024,512]",
                    {values({1024, 1024}), reshape(indices(1024 * 512, 1024), {1024, 512})},
                    [](const Tensors& in) { return gather_elements(in[0], in[1], 1); },
                    "torch.gather(x, 1, y)",
                    "[node('GatherElements', ['x', 'y'], axis=1)]",
                    0});
}

void add_reductions(std::vector<KernelCase>* cases) {
  const Tensor x = values({1024, 1024});
  const auto add = [&](const std::string& name, auto run, const std::string& torch,
                       const std::string& onnx, double tolerance = 1e-4) {
    cases->push_back({name + " [1024,1024]", {x}, run, torch, onnx, tolerance});
  };
  // A million numbers of both signs nearly cancel each other: the peers' sums in float32 differ
  // from the exact one by a few roundoffs of a thousand.
  constexpr double kOfMany = 1e-2;
  add(
      "sum of all", [](const Tensors& in) { return reduce_sum(in[0]); }, "x.sum()",
      "[node('ReduceSum', ['x'], keepdims=0)]", kOfMany);
  add(
      "sum of rows", [](const Tensors& in) { return reduce_sum(in[0], {1}); }, "x.sum(1)", "");
  add(
      "sum of columns", [](const Tensors& in) { return reduce_sum(in[0], {0}); }, "x.sum(0)", "");
  add(
      "max of rows", [](const Tensors& in) { return reduce_max(in[0], {1}); }, "x.amax(1)",
      "[node('ReduceMax', ['x'], axes=[1], keepdims=0)]");
  add(
      "max of columns", [](const Tensors& in) { return reduce_max(in[0], {0}); }, "x.amax(0)",
      "[node('ReduceMax', ['x'], axes=[0], keepdims=0)]");
  cases->push_back({"sum of columns [4096,1024]",
                    {values({4096, 1024})},
                    [](const Tensors& in) { return reduce_sum(in[0], {0}); },
                    "x.sum(0)",
                    "[onnx.helper.make_node('Constant', [], ['axes'], value_ints=[0]),"
                    " node('ReduceSum', ['x', 'axes'], keepdims=0)]",
                    1e-4});
  cases->push_back({"sum of all [10M]",
                    {values({10'000'000})},
                    [](const Tensors& in) { return reduce_sum(in[0]); },
                    "x.sum()",
                    "[node('ReduceSum', ['x'], keepdims=0)]",
                    1e-4});
}

void add_normalization(std::vector<KernelCase>* cases) {
  const Tensor x = values({1024, 1024});
  const auto add = [&](const std::string& name, const Tensor& input, auto run,
                       const std::string& torch, const std::string& onnx) {
    cases->push_back({name, {input}, run, torch, onnx});
  };
  add(
      "softmax [1024,1024]", x, [](const Tensors& in) { return softmax(in[0]); },
      "torch.softmax(x, -1)", "[node('Softmax', ['x'], axis=-1)]");
  add(
      "softmax [1536,128]", values({1536, 128}), [](const Tensors& in) { return softmax(in[0]); },
      "torch.softmax(x, -1)", "[node('Softmax', ['x'], axis=-1)]");
  add(
      "log_softmax [1024,1024]", x, [](const Tensors& in) { return log_softmax(in[0]); },
      "torch.log_softmax(x, -1)", "[node('LogSoftmax', ['x'], axis=-1)]");
  cases->push_back({"layer_norm [1024,384]",
                    {values({1024, 384}), values({384}), values({384})},
                    [](const Tensors& in) { return layer_norm(in[0], in[1], in[2]); },
                    "F.layer_norm(x, (384,), y, z)",
                    "[node('LayerNormalization', ['x', 'y', 'z'], axis=-1)]",
                    1e-4});
}

void add_products(std::vector<KernelCase>* cases) {
  const auto add = [&](std::int64_t m, std::int64_t k, std::int64_t n) {
    const std::string sizes = std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n);
    cases->push_back({"matmul " + sizes,
                      {values({m, k}), values({k, n})},
                      [](const Tensors& in) { return matmul(in[0], in[1]); },
                      "x @ y",
                      "[node('MatMul', ['x', 'y'])]",
                      1e-3});
  };
  add(1, 1024, 4096);
  add(1, 4096, 4096);
  add(32, 768, 3072);
  add(128, 384, 1536);
  add(512, 512, 512);
}

void add_convolutions(std::vector<KernelCase>* cases) {
  const auto add = [&](std::int64_t channels, std::int64_t size, std::int64_t kernel) {
    const auto padding = kernel / 2;
    const std::string sizes =
        std::to_string(channels) + "," + std::to_string(size) + "," + std::to_string(size) + "]";
    const std::string pad = std::to_string(padding);
    cases->push_back(
        {"conv2d " + std::to_string(kernel) + "x" + std::to_string(kernel) + " [1," + sizes,
         {values({1, channels, size, size}), values({channels, channels, kernel, kernel})},
         [padding](const Tensors& in) {
           Conv2dOptions options;
           options.paddings = {padding, padding};
           return conv2d(in[0], in[1], options);
         },
         "F.conv2d(x, y, padding=" + pad + ")",
         "[node('Conv', ['x', 'y'], pads=[" + pad + "] * 4)]",
         1e-3});
  };
  add(64, 56, 3);
  add(128, 28, 3);
  add(256, 14, 3);
  add(512, 7, 3);
  add(256, 14, 1);
}

}  // namespace

std::vector<KernelCase> kernel_cases() {
  std::vector<KernelCase> cases;
  add_pooling(&cases);
  add_casts(&cases);
  add_activations(&cases);
  add_elementwise(&cases);
  add_indexing(&cases);
  add_transposed_convolutions(&cases);
  add_pads(&cases);
  add_positions(&cases);
  add_reductions(&cases);
  add_normalization(&cases);
  add_products(&cases);
  add_convolutions(&cases);
  for (const std::vector<KernelCase>& constant :
       {line_cases(), constant_conv_cases(), constant_product_cases()}) {
    cases.insert(cases.end(), constant.begin(), constant.end());
  }
  return cases;
}

}  // namespace loci::bench
