// Replays of a captured chain, against a graph of the same form that the driver launches alone.
#include <fmt/format.h>

#include <loci/loci.hpp>

#include "tests/bench/cuda_bench.h"

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

// A chain of such kernels, recorded from a stream.
class RawGraph {
 public:
  RawGraph(const RawDevice& device, int ops)
      : device_(device), memory_(static_cast<std::size_t>(ops + 2) * sizeof(float)) {
    must(cu().cuModuleLoadData(&module_, kAdd), "cuModuleLoadData");
    CUfunction add = nullptr;
    must(cu().cuModuleGetFunction(&add, module_, "add_one"), "cuModuleGetFunction");
    must(cu().cuStreamBeginCapture(device.stream(), CU_STREAM_CAPTURE_MODE_RELAXED),
         "cuStreamBeginCapture");
    for (int i = 0; i < ops; ++i) launch(add, i);
    must(cu().cuStreamEndCapture(device.stream(), &graph_), "cuStreamEndCapture");
    must(cu().cuGraphInstantiate(&exec_, graph_, 0), "cuGraphInstantiate");
  }
  ~RawGraph() {
    (void)cu().cuGraphExecDestroy(exec_);
    (void)cu().cuGraphDestroy(graph_);
    (void)cu().cuModuleUnload(module_);
  }
  RawGraph(const RawGraph&) = delete;
  RawGraph& operator=(const RawGraph&) = delete;

  void replay() const { must(cu().cuGraphLaunch(exec_, device_.stream()), "cuGraphLaunch"); }

 private:
  // The element at index 0 is y, and each of the others the sum of it and the one before.
  void launch(CUfunction add, int index) {
    CUdeviceptr y = memory_.address();
    CUdeviceptr x = y + static_cast<CUdeviceptr>(index + 1) * sizeof(float);
    CUdeviceptr out = x + sizeof(float);
    void* parameters[] = {&x, &y, &out};
    must(cu().cuLaunchKernel(add, 1, 1, 1, 256, 1, 1, 0, device_.stream(), parameters, nullptr),
         "cuLaunchKernel");
  }

  const RawDevice& device_;
  RawMemory memory_;
  CUmodule module_ = nullptr;
  CUgraph graph_ = nullptr;
  CUgraphExec exec_ = nullptr;
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
  const RawGraph raw(bench.device, ops);
  const auto us = bench.us_in_turns({{[&] { graph.replay(); }, [] { synchronize("cuda:0"); }},
                                     {[&] { raw.replay(); }, [&] { bench.device.synchronize(); }}});
  bench.add(row, us[0], "us", /*less_is_better=*/true, "cuGraphLaunch of a graph of the same form",
            us[1], kMostOverRaw);
}

}  // namespace

void measure_replay(const CudaBench& bench) {
  const FallbackGuard on_the_device{FallbackPolicy::kError};
  for (const int ops : {bench.sized(10, 3), bench.sized(1000, 30)}) measure_chain(bench, ops);
}

}  // namespace loci::bench
