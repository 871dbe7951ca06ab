// Computes by the CPU plugin's oneDNN in a process that has functions of the same names.
#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <loci/loci.hpp>
#include <string>
#include <vector>

namespace {

double difference(const loci::Tensor& actual, const loci::Tensor& expected) {
  const auto a = loci::cast(actual, loci::kFloat64).to_vector<double>();
  const auto b = expected.to_vector<double>();
  double most = a.size() == b.size() ? 0 : 1e300;
  for (std::size_t i = 0; i < b.size() && i < a.size(); ++i) {
    most = std::isfinite(a[i]) ? std::fmax(most, std::fabs(a[i] - b[i])) : 1e300;
  }
  return most;
}

// Computes by oneDNN in float32, and by loops of ours in float64.
std::vector<loci::Tensor> compute(const std::vector<loci::Tensor>& inputs) {
  std::vector<loci::Tensor> leaves;
  for (const loci::Tensor& input : inputs) {
    leaves.push_back(input.detach());
    leaves.back().set_requires_grad();
  }
  loci::Conv2dOptions options;
  options.strides = {2, 2};
  const loci::Tensor image = loci::conv2d(leaves[0], leaves[1], options);
  const loci::Tensor product = loci::matmul(leaves[2], leaves[2]);
  std::vector<loci::Tensor> results =
      loci::grad({loci::reduce_sum(image * image), loci::reduce_sum(product * product)}, leaves);
  results.push_back(image.detach());
  results.push_back(product.detach());
  return results;
}

}  // namespace

int main() {
  if (::dlsym(RTLD_DEFAULT, "dnnl_engine_create") == nullptr) {
    std::puts("the process has no other oneDNN: nothing is tested");
    return 1;
  }
  loci::seed(1);
  const std::vector<loci::Tensor> inputs = {loci::rand({2, 16, 21, 19}, -1, 1),
                                            loci::rand({24, 16, 3, 3}, -1, 1),
                                            loci::rand({160, 160}, -1, 1)};
  std::vector<loci::Tensor> wide;
  for (const loci::Tensor& input : inputs) wide.push_back(loci::cast(input, loci::kFloat64));
  const std::vector<loci::Tensor> expected = compute(wide);
  const std::vector<loci::Tensor> actual = compute(inputs);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double off = difference(actual[i], expected[i]);
    if (off < 1e-2) continue;
    std::printf("result %zu is off by %g\n", i, off);
    return 1;
  }
  return 0;
}
