// How streams record graphs, for the capturer: a plugin of its own that `loci plugins new sample
// --kind capturer` begins. The two share this header and nothing else. Where your driver records
// graphs, its capturer calls it instead, with the native handles that the backend gives.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sample_plugin {

// Opaque to the capturer. "sample.stream" is what native_handle calls a stream.
class GraphStream;
class Graph;
class Executable;

enum class TaskKind : std::uint32_t { kKernel, kCopy, kFill };

// One task of a graph; the text is valid as long as that.
struct TaskInfo {
  TaskKind kind;
  const char* name;
  std::uint64_t item;  // as it was annotated
};

// Behind "sample.graphs". What gives a text gives NULL for success, else why it failed, valid until
// the thread's next call. None throws.
struct GraphFunctions {
  const char* (*begin)(GraphStream* stream);
  const char* (*annotate)(GraphStream* stream, const char* op, std::size_t size,
                          std::uint64_t item);
  const char* (*end)(GraphStream* stream, Graph** out_graph);
  void (*abort)(GraphStream* stream);
  std::uint32_t (*status)(GraphStream* stream);  // LOCI_CAPTURE_*

  std::size_t (*task_count)(const Graph* graph);
  TaskInfo (*task)(const Graph* graph, std::size_t index);
  void (*destroy_graph)(Graph* graph);

  const char* (*instantiate)(const Graph* graph, Executable** out_executable);
  const char* (*launch)(Executable* executable, GraphStream* stream, std::uint64_t correlation);
  const char* (*update)(Executable* executable, const Graph* graph);
  void (*destroy_executable)(Executable* executable);
};

}  // namespace sample_plugin
