#include "tools/cuda_double/driver/capture.h"

#include <algorithm>
#include <set>

#include "tools/cuda_double/driver/driver.h"
#include "tools/cuda_double/driver/thread_state.h"

namespace loci::cuda_double {
namespace {

void add_missing(std::vector<Node*>& nodes, const std::vector<Node*>& more) {
  for (Node* node : more) {
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
  }
}

// The nodes and all that is before them.
std::set<const Node*> with_all_before(const std::vector<Node*>& nodes) {
  std::vector<const Node*> found(nodes.begin(), nodes.end());
  std::set<const Node*> seen(found.begin(), found.end());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const Node* dependency : found[i]->dependencies) {
      if (seen.insert(dependency).second) found.push_back(dependency);
    }
  }
  return seen;
}

bool is_joined(Capture& capture) {
  const auto joined = with_all_before(capture.tips(*capture.origin));
  const auto all_joined = [&](const std::vector<Node*>& tips) {
    return std::all_of(tips.begin(), tips.end(),
                       [&](const Node* node) { return joined.contains(node); });
  };
  return all_joined(capture.tips_of_destroyed) &&
         std::all_of(capture.streams.begin(), capture.streams.end(),
                     [&](const auto& each) { return all_joined(each.second); });
}

void release_streams(const std::shared_ptr<Capture>& capture) {
  capture->ended = true;
  capture->graph->being_captured = false;
  capture->context->captures.erase(capture.get());
  for (const auto& member : capture->members) {
    const auto stream = member.lock();
    if (stream != nullptr && stream->capture == capture) stream->capture = nullptr;
  }
}

// Removes a new graph whose capture came to nothing.
void drop_graph(const Capture& capture) {
  if (capture.made_graph) Driver::get().registry.remove(capture.graph.get());
}

void join_capture(const std::shared_ptr<Stream>& stream, const std::shared_ptr<Capture>& capture) {
  stream->capture = capture;
  capture->members.push_back(stream);
}

[[noreturn]] void refuse(CUresult code, const char* why) { throw DriverError(code, why); }

}  // namespace

void begin_capture(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode,
                   std::shared_ptr<Graph> graph, const std::vector<Node*>& dependencies) {
  require(stream->role != Stream::Role::kLegacy, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          "the legacy stream can not be captured");
  require(mode == CU_STREAM_CAPTURE_MODE_GLOBAL || mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ||
              mode == CU_STREAM_CAPTURE_MODE_RELAXED,
          "there is no such mode");
  require(stream->capture == nullptr, CUDA_ERROR_ILLEGAL_STATE, "the stream is captured already");
  Driver& driver = Driver::get();
  auto capture = std::make_shared<Capture>();
  capture->made_graph = graph == nullptr;
  if (capture->made_graph) {
    graph = std::make_shared<Graph>();
    driver.registry.add(graph);
  }
  graph->being_captured = true;
  capture->graph = std::move(graph);
  capture->context = &stream->context;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = stream.get();
  capture->id = driver.next_id();
  capture->tips(*stream) = dependencies;
  stream->context.captures.insert(capture.get());
  join_capture(stream, capture);
}

std::shared_ptr<Graph> end_capture(Stream& stream) {
  const auto capture = stream.capture;
  require(capture != nullptr, CUDA_ERROR_ILLEGAL_STATE, "the stream is not captured");
  if (capture->origin != &stream) {
    capture->invalidate();
    refuse(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "the capture began on another stream");
  }
  release_streams(capture);
  const bool discards = capture->invalidated || !is_joined(*capture);
  const bool wrong_thread = capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
                            capture->thread != std::this_thread::get_id();
  if (discards || wrong_thread) drop_graph(*capture);
  require(!capture->invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
          "an earlier error made the capture invalid");
  require(!wrong_thread, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
          "the capture began on another thread");
  require(!discards, CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
          "work of another stream was not joined into the origin");
  return capture->graph;
}

void leave_capture(Stream& stream) {
  const auto capture = stream.capture;
  if (capture == nullptr) return;
  if (capture->origin == &stream) {
    release_streams(capture);
    drop_graph(*capture);
    return;
  }
  add_missing(capture->tips_of_destroyed, capture->tips(stream));
  capture->streams.erase(&stream);
  stream.capture = nullptr;
}

Node& capture_operation(Stream& stream, Operation operation, const std::string& what) {
  Capture& capture = *stream.capture;
  auto& tips = capture.tips(stream);
  Node& node = capture.graph->add(std::move(operation), &stream.context, what, tips);
  tips = {&node};
  return node;
}

void capture_record(Stream& stream, Event& event) {
  event.record = nullptr;
  event.capture = stream.capture;
  event.captured_nodes = stream.capture->tips(stream);
}

void capture_wait(const std::shared_ptr<Stream>& stream, const Event& event) {
  if (event.capture == nullptr) {
    if (event.record == nullptr) return;  // never recorded
    stream->capture->invalidate();
    refuse(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "the event was recorded outside of the capture");
  }
  require(!event.capture->ended, "the event was recorded in a capture that has ended");
  require(!event.capture->invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
          "the event's capture is invalid");
  if (stream->capture == nullptr) {
    require(stream->role != Stream::Role::kLegacy, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            "the legacy stream can not be captured");
    join_capture(stream, event.capture);
  }
  if (stream->capture != event.capture) {
    stream->capture->invalidate();
    event.capture->invalidate();
    refuse(CUDA_ERROR_STREAM_CAPTURE_MERGE, "the event is of another capture");
  }
  add_missing(stream->capture->tips(*stream), event.captured_nodes);
}

void check_capture_allows_work(Stream& stream) {
  if (stream.capture != nullptr) {
    require(!stream.capture->invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            "an earlier error made the capture invalid");
  }
  check_not_implicit(stream, true);
}

void check_not_implicit(const Stream& stream, bool spoils) {
  if (stream.role != Stream::Role::kLegacy) return;
  bool found = false;
  for (Capture* capture : stream.context.captures) {
    const bool waited_for =
        std::any_of(capture->members.begin(), capture->members.end(), [](const auto& member) {
          const auto of = member.lock();
          return of != nullptr && of->capture != nullptr && of->is_blocking();
        });
    if (!waited_for) continue;
    found = true;
    if (spoils) capture->invalidate();
  }
  require(!found, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
          "the legacy stream waits for a stream that is captured");
}

bool spoil_captures(Driver& driver) {
  const auto own_mode = ThreadState::get().capture_mode;
  if (own_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  bool forbidden = false;
  for (Context* context : driver.contexts) {
    for (Capture* capture : context->captures) {
      const bool own = capture->thread == std::this_thread::get_id();
      const bool forbids = capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL
                               ? own || own_mode == CU_STREAM_CAPTURE_MODE_GLOBAL
                               : own && capture->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
      if (!forbids) continue;
      capture->invalidate();
      forbidden = true;
    }
  }
  return forbidden;
}

}  // namespace loci::cuda_double
