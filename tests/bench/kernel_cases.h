// tools/bench cpu-kernels times these: one op each, as Loci and its peers write it.
#pragma once

#include <cstddef>
#include <functional>
#include <loci/loci.hpp>
#include <string>
#include <vector>

namespace loci::bench {

struct KernelCase {
  std::string name;
  std::vector<Tensor> inputs;
  std::function<Tensor(const std::vector<Tensor>&)> run;
  // PyTorch's form in Python: an expression in x, y, z (the inputs), torch and F.
  std::string torch;
  // The form of ONNX Runtime and OpenVINO: an expression in node() and onnx that gives a list of
  // nodes from x, y, z to "out". Empty where ONNX has no such op.
  std::string onnx;
  // The largest difference of results, over 1 + their magnitude; negative: they are random.
  double tolerance = 1e-5;
  // How many of the last inputs never change, so that a peer may prepare them.
  std::size_t constants = 0;
};

// Shapes of the models that the budgets name, and sizes beyond the caches.
std::vector<KernelCase> kernel_cases();

}  // namespace loci::bench
