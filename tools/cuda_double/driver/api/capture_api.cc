// Captures of streams.
#include "tools/cuda_double/driver/capture.h"

#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/edge_data.h"
#include "tools/cuda_double/driver/handles.h"

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

namespace {

// A stream is asked about its capture: the legacy one has none, but may stand for captured ones.
std::shared_ptr<Stream> asked_stream(Call& call, CUstream handle) {
  const auto stream = call.stream(handle);
  check_not_implicit(*stream, false);
  return stream;
}

CUstreamCaptureStatus status_of(const Stream& stream) {
  if (stream.capture == nullptr) return CU_STREAM_CAPTURE_STATUS_NONE;
  return stream.capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                     : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

struct InfoPlaces {
  CUstreamCaptureStatus* status;
  cuuint64_t* id;
  CUgraph* graph;
  const CUgraphNode** dependencies;
  const CUgraphEdgeData** edges;
  std::size_t* count;
};

template <typename T, typename Value>
void put(T* place, Value value) {
  if (place != nullptr) *place = value;
}

void show(Stream& stream, const InfoPlaces& places) {
  Capture& capture = *stream.capture;
  capture.shown_tips.clear();
  for (const Node* node : capture.tips(stream)) {
    capture.shown_tips.push_back(handle_of<CUgraphNode>(node));
  }
  capture.shown_edges.assign(capture.shown_tips.size(), CUgraphEdgeData{});
  put(places.id, capture.id);
  put(places.graph, handle_of<CUgraph>(capture.graph.get()));
  put(places.dependencies, capture.shown_tips.data());
  put(places.edges, capture.shown_edges.data());
  put(places.count, capture.shown_tips.size());
}

CUresult info(const char* name, CUstream handle, const InfoPlaces& places) {
  return enter(name, kNeedsContext, [&](Call& call) {
    const auto stream = asked_stream(call, handle);
    const auto status = status_of(*stream);
    result(places.status) = status;
    if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE) show(*stream, places);
  });
}

CUresult update(const char* name, CUstream handle, CUgraphNode* nodes, const CUgraphEdgeData* data,
                std::size_t count, unsigned flags) {
  return enter(name, kNeedsContext, [&](Call& call) {
    const auto stream = call.stream(handle);
    require(
        flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES || flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES,
        "unknown flags");
    require(stream->capture != nullptr, CUDA_ERROR_ILLEGAL_STATE, "the stream is not captured");
    require(!stream->capture->invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            "the capture is invalid");
    const auto chosen = nodes_of(call, nodes, count);
    for (const Node* node : chosen) {
      require(node->graph == stream->capture->graph.get(), "a node is of another graph");
    }
    require_plain_edges(data, count);
    auto& tips = stream->capture->tips(*stream);
    if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) tips.clear();
    for (Node* node : chosen) {
      if (std::find(tips.begin(), tips.end(), node) == tips.end()) tips.push_back(node);
    }
  });
}

}  // namespace

CUresult CUDAAPI cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  return enter("cuStreamBeginCapture_v2", kNeedsContext,
               [&](Call& call) { begin_capture(call.stream(stream), mode, nullptr, {}); });
}

CUresult CUDAAPI cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                             const CUgraphNode* dependencies,
                                             const CUgraphEdgeData* data, std::size_t count,
                                             CUstreamCaptureMode mode) {
  return enter("cuStreamBeginCaptureToGraph", kNeedsContext, [&](Call& call) {
    const auto target = graph_of(call, graph);
    const auto before = nodes_of(call, dependencies, count);
    for (const Node* node : before) {
      require(node->graph == target.get(), "a dependency is of another graph");
    }
    require_plain_edges(data, count);
    begin_capture(call.stream(stream), mode, target, before);
  });
}

CUresult CUDAAPI cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return enter("cuStreamEndCapture", kNeedsContext, [&](Call& call) {
    put(graph, nullptr);
    const auto ended = end_capture(*call.stream(stream));
    put(graph, handle_of<CUgraph>(ended.get()));
  });
}

CUresult CUDAAPI cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return enter("cuStreamIsCapturing", kNeedsContext,
               [&](Call& call) { result(status) = status_of(*asked_stream(call, stream)); });
}

CUresult CUDAAPI cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status,
                                           cuuint64_t* id, CUgraph* graph,
                                           const CUgraphNode** dependencies,
                                           const CUgraphEdgeData** edges, std::size_t* count) {
  return info("cuStreamGetCaptureInfo_v3", stream, {status, id, graph, dependencies, edges, count});
}

extern "C" CUresult CUDAAPI cuStreamGetCaptureInfo_v2(CUstream stream,
                                                      CUstreamCaptureStatus* status, cuuint64_t* id,
                                                      CUgraph* graph,
                                                      const CUgraphNode** dependencies,
                                                      std::size_t* count) {
  return info("cuStreamGetCaptureInfo_v2", stream,
              {status, id, graph, dependencies, nullptr, count});
}

CUresult CUDAAPI cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* nodes,
                                                      const CUgraphEdgeData* data,
                                                      std::size_t count, unsigned flags) {
  return update("cuStreamUpdateCaptureDependencies_v2", stream, nodes, data, count, flags);
}

CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return enter("cuThreadExchangeStreamCaptureMode", kPlain,
               [&](Call&) { std::swap(result(mode), ThreadState::get().capture_mode); });
}
