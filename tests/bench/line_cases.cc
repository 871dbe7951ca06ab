#include "tests/bench/line_cases.h"

namespace loci::bench {
namespace {

using Tensors = std::vector<Tensor>;

void add_running_sums(std::vector<KernelCase>* cases) {
  const auto add = [&](const std::string& name, const Shape& shape, int axis, auto run,
                       const std::string& torch, const std::string& onnx) {
    cases->push_back({name,
                      {randn(shape)},
                      [=](const Tensors& in) { return run(in[0], axis); },
                      torch + "(x, " + std::to_string(axis) + ")",
                      onnx,
                      1e-3});
  };
  const auto sum = [](const Tensor& x, int axis) { return cumsum(x, axis); };
  const auto sum_of_onnx = [](const std::string& axis) {
    return "[onnx.helper.make_node('Constant', [], ['axis'], value_int=" + axis +
           "), node('CumSum', ['x', 'axis'])]";
  };
  add("cumsum of rows [1024,1024]", {1024, 1024}, 1, sum, "torch.cumsum", sum_of_onnx("1"));
  add("cumsum of columns [1024,1024]", {1024, 1024}, 0, sum, "torch.cumsum", sum_of_onnx("0"));
  add("cumsum of one row [1,1048576]", {1, 1 << 20}, 1, sum, "torch.cumsum", sum_of_onnx("1"));
  add(
      "cumprod of rows [1024,1024]", {1024, 1024}, 1,
      [](const Tensor& x, int axis) { return cumprod(x, axis); }, "torch.cumprod", "");
}

void add_sorting(std::vector<KernelCase>* cases) {
  const auto add = [&](const std::string& name, const Shape& shape, auto run,
                       const std::string& torch, const std::string& onnx) {
    cases->push_back({name, {randn(shape)}, run, torch, onnx, 0});
  };
  const auto topk_of_onnx = [](const std::string& k, const std::string& axis) {
    return "[onnx.helper.make_node('Constant', [], ['k'], value_ints=[" + k +
           "]), onnx.helper.make_node('TopK', ['x', 'k'], ['out', 'at'], axis=" + axis + ")]";
  };
  add(
      "topk 50 of [16,32000]", {16, 32000},
      [](const Tensors& in) { return topk(in[0], 50).values; }, "torch.topk(x, 50)[0]",
      topk_of_onnx("50", "1"));
  add(
      "topk 300 of [1,8400]", {1, 8400}, [](const Tensors& in) { return topk(in[0], 300).values; },
      "torch.topk(x, 300)[0]", topk_of_onnx("300", "1"));
  add(
      "topk 5 of columns [1000,256]", {1000, 256},
      [](const Tensors& in) { return topk(in[0], 5, 0).values; }, "torch.topk(x, 5, 0)[0]",
      topk_of_onnx("5", "0"));
  add(
      "sort [1024,1024]", {1024, 1024}, [](const Tensors& in) { return sort(in[0]).values; },
      "torch.sort(x)[0]", "");
  add(
      "sort [1000000]", {1'000'000}, [](const Tensors& in) { return sort(in[0]).values; },
      "torch.sort(x)[0]", "");
}

}  // namespace

std::vector<KernelCase> line_cases() {
  std::vector<KernelCase> cases;
  add_running_sums(&cases);
  add_sorting(&cases);
  return cases;
}

}  // namespace loci::bench
