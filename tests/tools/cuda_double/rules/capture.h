// The rules of stream capture share these.
#pragma once

#include "driver_test.h"

namespace loci::cuda_rules {

CUstreamCaptureStatus capture_status(CUstream stream);
std::string capture_status_name(CUstream stream);  // "none", "active" or "invalidated"

void begin_capture(CUstream stream, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);

// Ends the capture; the graph is destroyed with this object.
class Captured {
 public:
  explicit Captured(CUstream stream) : code(cu().cuStreamEndCapture(stream, &graph)) {}
  ~Captured();
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  CUgraph graph = nullptr;
  CUresult code;
};

std::size_t node_count(CUgraph graph);
std::size_t edge_count(CUgraph graph);
std::vector<CUgraphNode> nodes_of(CUgraph graph);

// "kernel kernel", by type, in the order that the driver gives.
std::string node_types(CUgraph graph);

// Instantiates, launches once and waits.
void run_once(CUgraph graph, CUstream stream);

// A stream that was made to wait for another, which has the fork's event recorded.
void fork(CUstream from, CUstream to, CUevent event);

}  // namespace loci::cuda_rules
