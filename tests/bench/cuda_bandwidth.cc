// Kernels that only move memory, against a copy on the device.
#include <fmt/format.h>

#include <loci/loci.hpp>
#include <string>

#include "tests/bench/cuda_bench.h"

namespace loci::bench {
namespace {

using cuda_rules::cu;

constexpr double kShareOfCopies = 0.85;

struct Kernel {
  const char* name;
  double passes;  // over the elements of x, of all that it has to read and write
  Tensor (*call)(const Tensor& x, const Tensor& y);
};

constexpr Kernel kKernels[] = {
    {"add", 3, [](const Tensor& x, const Tensor& y) { return x + y; }},
    {"gelu", 2, [](const Tensor& x, const Tensor&) { return gelu(x); }},
    {"sum of rows", 1, [](const Tensor& x, const Tensor&) { return reduce_sum(x, {1}); }},
    {"sum of columns", 1, [](const Tensor& x, const Tensor&) { return reduce_sum(x, {0}); }},
    {"mean of all", 1, [](const Tensor& x, const Tensor&) { return mean(x); }},
    {"softmax", 2, [](const Tensor& x, const Tensor&) { return softmax(x); }},
    {"layer_norm", 2, [](const Tensor& x, const Tensor&) { return layer_norm(x); }},
    {"l2_normalize", 2, [](const Tensor& x, const Tensor&) { return l2_normalize(x, -1); }}};

// Gigabytes per second, and of a copy that moves as much as an operand has.
void measure_kernel(const CudaBench& bench, const Kernel& kernel, DType dtype, const Shape& shape) {
  const std::string row =
      fmt::format("bandwidth: {} {} [{}, {}]", kernel.name, dtype_name(dtype), shape[0], shape[1]);
  if (!bench.report.is_wanted(row)) return;
  const Tensor x = cast(randn(shape, 0, 1, kFloat32, "cuda:0"), dtype);
  const Tensor y = cast(randn(shape, 0, 1, kFloat32, "cuda:0"), dtype);
  const auto bytes = static_cast<std::size_t>(shape[0] * shape[1]) * (dtype == kFloat32 ? 4 : 2);
  const RawMemory from(bytes);
  const RawMemory to(bytes);
  const auto us = bench.us_in_turns(
      {{[&] { (void)kernel.call(x, y); }, [] { synchronize("cuda:0"); }},
       {[&] {
          must(cu().cuMemcpyDtoDAsync(to.address(), from.address(), bytes, bench.device.stream()),
               "cuMemcpyDtoDAsync");
        },
        [&] { bench.device.synchronize(); }}});
  const auto rate = [&](double passes, double took) {
    return passes * static_cast<double>(bytes) / took / 1000;
  };
  bench.add(row, rate(kernel.passes, us[0]), "GB/s", /*less_is_better=*/false, "copy on the device",
            rate(2, us[1]), kShareOfCopies);
}

}  // namespace

void measure_bandwidth(const CudaBench& bench) {
  const FallbackGuard on_the_device{FallbackPolicy::kError};
  const Shape shape{bench.sized(65'536, 8), bench.sized(2048, 64)};
  for (const DType dtype : {kFloat32, kBFloat16}) {
    for (const Kernel& kernel : kKernels) measure_kernel(bench, kernel, dtype, shape);
  }
}

}  // namespace loci::bench
