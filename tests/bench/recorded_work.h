// Work that is recorded once and replayed, so that its time is the device's and none of the host's.
#pragma once

#include <functional>
#include <loci/loci.hpp>

#include "tests/bench/cuda_bench.h"

namespace loci::bench {

// Loci's, at cuda:0. What the calls give stays until it is destroyed.
class RecordedOps {
 public:
  // Calls `op` once before, which finds kernels, and then `count` times.
  RecordedOps(const std::function<Tensor()>& op, int count);
  [[nodiscard]] Work work();

 private:
  Graph graph_{"cuda:0"};
  std::vector<Tensor> results_;
};

// The driver's.
class RecordedCalls {
 public:
  // `enqueue` is called once. Throws std::runtime_error.
  RecordedCalls(const RawDevice& device, const std::function<void(CUstream)>& enqueue);
  ~RecordedCalls();
  RecordedCalls(const RecordedCalls&) = delete;
  RecordedCalls& operator=(const RecordedCalls&) = delete;
  [[nodiscard]] Work work() const;

 private:
  const RawDevice& device_;
  CUgraph graph_ = nullptr;
  CUgraphExec exec_ = nullptr;
};

}  // namespace loci::bench
