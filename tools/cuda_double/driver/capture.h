// Captures: streams whose work becomes nodes of a graph.
#pragma once

#include <cuda.h>

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tools/cuda_double/driver/graph.h"
#include "tools/cuda_double/driver/stream.h"

namespace loci::cuda_double {

class Driver;

struct Capture {
  void invalidate() { invalidated = true; }
  // The nodes that the stream's next one depends on.
  [[nodiscard]] std::vector<Node*>& tips(const Stream& stream) { return streams[&stream]; }

  std::shared_ptr<Graph> graph;
  Context* context = nullptr;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread;
  const Stream* origin = nullptr;
  std::uint64_t id = 0;
  bool made_graph = false;  // else it adds to one of the program's
  bool invalidated = false;
  bool ended = false;
  std::map<const Stream*, std::vector<Node*>> streams;
  std::vector<std::weak_ptr<Stream>> members;
  std::vector<Node*> tips_of_destroyed;  // streams
  // cuStreamGetCaptureInfo() hands out these, until the next call.
  std::vector<CUgraphNode> shown_tips;
  std::vector<CUgraphEdgeData> shown_edges;
};

// Begins; `graph` NULL is a new one, else nodes are added to it behind `dependencies`.
void begin_capture(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode,
                   std::shared_ptr<Graph> graph, const std::vector<Node*>& dependencies);
// Ends; throws why there is no graph. All streams are free again in any case.
[[nodiscard]] std::shared_ptr<Graph> end_capture(Stream& stream);
// The stream is destroyed: its part of the capture stays, or the capture ends with its origin.
void leave_capture(Stream& stream);

// Adds a node behind what was captured on the stream, and gives it.
Node& capture_operation(Stream& stream, Operation operation, const std::string& what);

void capture_record(Stream& stream, Event& event);
// The stream takes part in the event's capture from now on.
void capture_wait(const std::shared_ptr<Stream>& stream, const Event& event);

// Throws where work on the stream is refused: its capture is invalid, or work of the legacy stream
// would become part of a capture.
void check_capture_allows_work(Stream& stream);
// Throws if a stream that the legacy one waits for is captured; `spoils` ends those captures.
void check_not_implicit(const Stream& stream, bool spoils);

// True if this thread may not make an unsafe call; the captures that forbid it are invalid then.
bool spoil_captures(Driver& driver);

}  // namespace loci::cuda_double
