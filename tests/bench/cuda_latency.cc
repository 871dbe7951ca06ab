// Operators of a transformer that reads 128 tokens: so little work that what a device needs to
// begin and end a kernel counts most. Recorded, one waiting for the other.
#include <fmt/format.h>

#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "tests/bench/cuda_bench.h"
#include "tests/bench/recorded_work.h"

namespace loci::bench {
namespace {

constexpr std::int64_t kTokens = 128;
constexpr std::int64_t kWidth = 768;
constexpr std::int64_t kHeads = 12;
constexpr int kSmallOnes = 50;

struct SmallOp {
  const char* name;
  Shape shape;
  Tensor (*call)(const Tensor& x);
};

const std::vector<SmallOp>& small_ops() {
  static const std::vector<SmallOp> kAll = {
      {"add", {kTokens, kWidth}, [](const Tensor& x) { return x + x; }},
      {"gelu", {kTokens, 4 * kWidth}, [](const Tensor& x) { return gelu(x); }},
      {"layer_norm", {kTokens, kWidth}, [](const Tensor& x) { return layer_norm(x); }},
      {"softmax", {kHeads * kTokens, kTokens}, [](const Tensor& x) { return softmax(x); }},
      {"sum of rows", {kTokens, kWidth}, [](const Tensor& x) { return reduce_sum(x, {1}); }},
      {"attention", {1, kTokens, kWidth}, [](const Tensor& x) {
         return attention(x, x, x, kHeads);
       }}};
  return kAll;
}

void measure_small(const CudaBench& bench, const SmallOp& op, DType dtype) {
  const std::string row =
      fmt::format("latency: {} {} {}", op.name, dtype_name(dtype), op.shape.to_string());
  if (!bench.report.is_wanted(row)) return;
  const Tensor x = cast(randn(op.shape, 0, 1, kFloat32, "cuda:0"), dtype);
  const int count = bench.sized(kSmallOnes, 1);
  RecordedOps recorded([&] { return op.call(x); }, count);
  bench.add({row, bench.us_in_turns({recorded.work()})[0] / count, "us"});
}

}  // namespace

void measure_latency(const CudaBench& bench) {
  const FallbackGuard on_the_device{FallbackPolicy::kError};
  for (const DType dtype : {kFloat32, kBFloat16}) {
    for (const SmallOp& op : small_ops()) measure_small(bench, op, dtype);
  }
}

}  // namespace loci::bench
