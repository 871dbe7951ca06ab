// A loop of a stream that records, while its body is recorded in another stream.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "condition_setter.h"

namespace loci::cuda_graph {

// Work of `stream` from now on waits for the loop. Without finish(), the body's stream is free at
// its end all the same, and the graph cannot be instantiated.
class RecordedLoop {
 public:
  // Throws Error, with LOCI_CODE_UNSUPPORTED where no loop can be recorded.
  RecordedLoop(std::shared_ptr<const Driver> driver, ConditionSetter& setter, CUstream stream,
               CUstream body, cuda::StreamRecording& told, CUdeviceptr condition);
  ~RecordedLoop();
  RecordedLoop(const RecordedLoop&) = delete;
  RecordedLoop& operator=(const RecordedLoop&) = delete;

  // The body is complete. Throws Error.
  void finish();
  [[nodiscard]] CUgraphNode node() const { return node_; }
  // Nodes of the body, once it is complete.
  [[nodiscard]] std::size_t nodes() const { return nodes_; }

 private:
  void add_node(CUstream stream);
  CUresult end(CUgraph& graph);

  std::shared_ptr<const Driver> driver_;
  ConditionSetter& setter_;
  CUstream body_;
  cuda::StreamRecording& told_;
  const CUdeviceptr byte_;
  CUgraphConditionalHandle condition_ = 0;
  CUgraphNode node_ = nullptr;
  CUgraph body_graph_ = nullptr;
  bool is_open_ = false;  // the body's stream records
  std::size_t nodes_ = 0;
};

}  // namespace loci::cuda_graph
