#include "tests/bench/recorded_work.h"

namespace loci::bench {

using cuda_rules::cu;

RecordedOps::RecordedOps(const std::function<Tensor()>& op, int count) {
  (void)op();
  graph_.capture_begin();
  for (int i = 0; i < count; ++i) results_.push_back(op());
  graph_.capture_end();
}

Work RecordedOps::work() {
  return {[this] { graph_.replay(); }, [] { synchronize("cuda:0"); }};
}

RecordedCalls::RecordedCalls(const RawDevice& device, const std::function<void(CUstream)>& enqueue)
    : device_(device) {
  must(cu().cuStreamBeginCapture(device.stream(), CU_STREAM_CAPTURE_MODE_RELAXED),
       "cuStreamBeginCapture");
  enqueue(device.stream());
  must(cu().cuStreamEndCapture(device.stream(), &graph_), "cuStreamEndCapture");
  must(cu().cuGraphInstantiate(&exec_, graph_, 0), "cuGraphInstantiate");
}

RecordedCalls::~RecordedCalls() {
  (void)cu().cuGraphExecDestroy(exec_);
  (void)cu().cuGraphDestroy(graph_);
}

Work RecordedCalls::work() const {
  return {[this] { must(cu().cuGraphLaunch(exec_, device_.stream()), "cuGraphLaunch"); },
          [this] { device_.synchronize(); }};
}

}  // namespace loci::bench
