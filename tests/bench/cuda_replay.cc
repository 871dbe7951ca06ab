// Replays of a captured chain, against a graph of the same form that the driver launches alone.
#include <fmt/format.h>

#include <loci/loci.hpp>

#include "tests/bench/cuda_bench.h"
#include "tests/bench/recorded_work.h"

namespace loci::bench {
namespace {

using cuda_rules::cu;

constexpr double kMostOverRaw = 1.05;

// out = x + y, of one element, as a kernel of the plugin adds it.
constexpr const char* kAdd = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry add_one(.param .u64 x, .param .u64 y, .param .u64 out) {
  .reg .u64 %a<4>;
  .reg .f32 %f<4>;
  .reg .u32 %t;
  .reg .pred %p;
  mov.u32 %t, %tid.x;
  setp.ne.u32 %p, %t, 0;
  @%p bra end;
  ld.param.u64 %a1, [x];
  ld.param.u64 %a2, [y];
  ld.param.u64 %a3, [out];
  cvta.to.global.u64 %a1, %a1;
  cvta.to.global.u64 %a2, %a2;
  cvta.to.global.u64 %a3, %a3;
  ld.global.f32 %f1, [%a1];
  ld.global.f32 %f2, [%a2];
  add.rn.f32 %f3, %f1, %f2;
  st.global.f32 [%a3], %f3;
end:
  ret;
}
)";

// Chains of such kernels.
class RawAdds {
 public:
  explicit RawAdds(int ops)
      : ops_(ops), memory_(static_cast<std::size_t>(ops + 2) * sizeof(float)) {
    must(cu().cuModuleLoadData(&module_, kAdd), "cuModuleLoadData");
    must(cu().cuModuleGetFunction(&add_, module_, "add_one"), "cuModuleGetFunction");
  }
  ~RawAdds() { (void)cu().cuModuleUnload(module_); }
  RawAdds(const RawAdds&) = delete;
  RawAdds& operator=(const RawAdds&) = delete;

  void enqueue(CUstream stream) const {
    for (int i = 0; i < ops_; ++i) launch(i, stream);
  }

 private:
  // The element at index 0 is y, and each of the others the sum of it and the one before.
  void launch(int index, CUstream stream) const {
    CUdeviceptr y = memory_.address();
    CUdeviceptr x = y + static_cast<CUdeviceptr>(index + 1) * sizeof(float);
    CUdeviceptr out = x + sizeof(float);
    void* parameters[] = {&x, &y, &out};
    must(cu().cuLaunchKernel(add_, 1, 1, 1, 256, 1, 1, 0, stream, parameters, nullptr),
         "cuLaunchKernel");
  }

  int ops_;
  RawMemory memory_;
  CUmodule module_ = nullptr;
  CUfunction add_ = nullptr;
};

void measure_chain(const CudaBench& bench, int ops) {
  const std::string row = fmt::format("replay: a chain of {} adds", ops);
  if (!bench.report.is_wanted(row)) return;
  const Tensor x = full({1}, 1.0, kFloat32).to("cuda:0");
  Tensor result;
  Graph graph("cuda:0");
  graph.capture_begin();
  result = x;
  for (int i = 0; i < ops; ++i) result = result + x;
  graph.capture_end();
  const RawAdds adds(ops);
  const RecordedCalls raw(bench.device, [&](CUstream stream) { adds.enqueue(stream); });
  const auto us =
      bench.us_in_turns({{[&] { graph.replay(); }, [] { synchronize("cuda:0"); }}, raw.work()});
  bench.add(row, us[0], "us", /*less_is_better=*/true, "cuGraphLaunch of a graph of the same form",
            us[1], kMostOverRaw);
}

}  // namespace

void measure_replay(const CudaBench& bench) {
  const FallbackGuard on_the_device{FallbackPolicy::kError};
  for (const int ops : {bench.sized(10, 3), bench.sized(1000, 30)}) measure_chain(bench, ops);
}

}  // namespace loci::bench
