// Products, against cuBLASLt called directly, and PyTorch where Python has it: recorded, where the
// device's time alone counts, and called one by one, where the host's does for small ones.
#include <fmt/format.h>

#include <loci/loci.hpp>
#include <loci/op_call.hpp>
#include <map>
#include <optional>

#include "tests/bench/cuda_bench.h"
#include "tests/bench/peer.h"
#include "tests/bench/raw_cublaslt.h"
#include "tests/bench/recorded_work.h"

namespace loci::bench {
namespace {

constexpr double kProductShare = 0.95;
constexpr int kRecorded = 20;  // in a graph

struct ProductSizes {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
};

struct Type {
  const char* name;
  DType dtype;
  cudaDataType_t type;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
};

constexpr Type kTf32{"tf32", kFloat32, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32};

std::string key_of(const Type& type, const ProductSizes& sizes) {
  return fmt::format("{}_{}_{}_{}", type.name, sizes.m, sizes.n, sizes.k);
}

// Microseconds by key_of(); empty where Python has no PyTorch that finds the device.
using Peer = std::optional<std::map<std::string, double>>;

double tera(const ProductSizes& sizes, double us) {
  return 2.0 * static_cast<double>(sizes.m * sizes.n * sizes.k) / us / 1e6;
}

void measure_product(const CudaBench& bench, const Type& type, const ProductSizes& sizes,
                     const Peer& torch) {
  const std::string row =
      fmt::format("matmul: {} [{}, {}] x [{}, {}]", type.name, sizes.m, sizes.k, sizes.k, sizes.n);
  if (!bench.report.is_wanted(row)) return;
  // Not zeros: multiplying these takes less power, and a device that is at its limit runs faster.
  const auto there = [&](std::int64_t rows, std::int64_t columns) {
    return cast(randn({rows, columns}, 0, 1, kFloat32, "cuda:0"), type.dtype);
  };
  const Tensor x = there(sizes.m, sizes.k);
  const Tensor y = there(sizes.k, sizes.n);
  const RawProduct raw(type.type, type.compute, sizes.m, sizes.n, sizes.k, x.read_data(),
                       y.read_data());
  synchronize("cuda:0");
  raw.enqueue(bench.device.stream());
  const int count = bench.sized(kRecorded, 1);
  RecordedOps ours([&] { return matmul(x, y); }, count);
  const RecordedCalls theirs(bench.device, [&](CUstream stream) {
    for (int i = 0; i < count; ++i) raw.enqueue(stream);
  });
  const auto us = bench.us_in_turns({
      ours.work(),
      theirs.work(),
      {[&] { (void)matmul(x, y); }, [] { synchronize("cuda:0"); }},
      {[&] { raw.enqueue(bench.device.stream()); }, [&] { bench.device.synchronize(); }},
  });
  const double raw_rate = tera(sizes, us[1] / count);
  bench.add({row, tera(sizes, us[0] / count), "TFLOP/s", false, "cuBLASLt called directly",
             raw_rate, kProductShare * raw_rate});
  Row called{row + ", one by one",       tera(sizes, us[2]), "TFLOP/s", false,
             "cuBLASLt called directly", tera(sizes, us[3])};
  const std::string key = key_of(type, sizes);
  if (torch && torch->count(key) != 0) called.peers["PyTorch"] = tera(sizes, torch->at(key));
  bench.add(std::move(called));
}

// A layer of a transformer: halves that end in GELU by erf, which the library has no epilogue for.
void measure_ended(const CudaBench& bench, DType dtype, const ProductSizes& sizes) {
  const std::string row = fmt::format("matmul: {} [{}, {}] x [{}, {}] + bias, gelu",
                                      dtype_name(dtype), sizes.m, sizes.k, sizes.k, sizes.n);
  if (!bench.report.is_wanted(row)) return;
  const auto there = [&](const Shape& shape) {
    return cast(randn(shape, 0, 1, kFloat32, "cuda:0"), dtype);
  };
  const Tensor x = there({sizes.m, sizes.k});
  const Tensor y = there({sizes.k, sizes.n});
  const Tensor bias = there({sizes.n});
  const auto ended = [&] {
    return OpCall<Tensor>("fused_matmul")
        .input("x", x)
        .input("y", y)
        .input("bias", bias)
        .attr("activation", "gelu")
        .result();
  };
  const int count = bench.sized(kRecorded, 1);
  RecordedOps ours(ended, count);
  RecordedOps alone([&] { return matmul(x, y); }, count);
  const auto us = bench.us_in_turns({ours.work(), alone.work()});
  bench.add({row, us[0] / count, "us", true, "the product alone", us[1] / count});
}

// It would take the machine's own device where ours is the double's.
Peer torch_times(const CudaBench& bench, const std::vector<ProductSizes>& sizes) {
  if (bench.emulated || !bench.report.is_wanted("matmul: ")) return std::nullopt;
  std::string arguments;
  for (const ProductSizes& each : sizes)
    arguments += fmt::format("{} {} {} ", each.m, each.n, each.k);
  std::string why;
  Peer times = run_peer("torch_cuda.py", arguments, &why);
  if (!times) bench.report.note("PyTorch: " + why);
  return times;
}

// The plugin reads whether products may use TF32 when it is made, so that these have a context of
// their own, with an instance of its own.
void measure_tf32(const CudaBench& bench, const std::vector<ProductSizes>& sizes,
                  const Peer& torch) {
  config::set("CUDA_TF32", "1");
  {
    const Context context;
    const ContextGuard within(context);
    const FallbackGuard on_the_device{FallbackPolicy::kError};
    for (const ProductSizes& each : sizes) measure_product(bench, kTf32, each, torch);
  }
  config::set("CUDA_TF32", "0");
}

}  // namespace

void measure_matmul(const CudaBench& bench) {
  const FallbackGuard on_the_device{FallbackPolicy::kError};
  const std::vector<ProductSizes> sizes =
      bench.emulated
          ? std::vector<ProductSizes>{{16, 16, 16}}
          : std::vector<ProductSizes>{{4096, 4096, 4096}, {1024, 1024, 1024}, {128, 3072, 768}};
  const Peer torch = torch_times(bench, sizes);
  for (const Type& type :
       {Type{"float32", kFloat32, CUDA_R_32F}, Type{"float16", kFloat16, CUDA_R_16F},
        Type{"bfloat16", kBFloat16, CUDA_R_16BF}}) {
    for (const ProductSizes& each : sizes) measure_product(bench, type, each, torch);
    measure_ended(bench, type.dtype, sizes.back());
  }
  measure_tf32(bench, sizes, torch);
}

}  // namespace loci::bench
