// Device graphs of the software accelerator, as the driver of another device offers them: functions
// and opaque objects, for the capturer (plugins/sim_graph), which shares nothing else with it.
//
// Functions return 0 or a LOCI_CODE_*; message() says then what the latest failure of the calling
// thread was. None throws.
#pragma once

#include <cstdint>

namespace loci::sim {

class DriverGraph;  // what was recorded
class DriverExec;   // what is launched
class Stream;       // behind "sim.stream", of the stream that is given to native_handle

struct DriverText {
  const char* data = nullptr;
  std::uint64_t size = 0;
};

// The values that status gives.
enum class DriverCapture : std::uint32_t { kNone, kActive, kInvalid };

// One task of a graph.
struct DriverNode {
  enum class Kind : std::uint32_t { kKernel, kCopy, kFill, kOther };

  Kind kind = Kind::kOther;
  DriverText name;         // valid as long as the graph
  std::uint64_t item = 0;  // as it was annotated
  // The nodes that it waits for, by number; valid as long as the graph.
  const std::uint32_t* before = nullptr;
  std::uint64_t before_count = 0;
};

struct DriverLaunch {
  std::uint32_t graph = 0;  // for records of a profile; the number of the graph, and of its launch
  std::uint64_t replay = 0;
  std::uint64_t correlation = 0;  // a task of item i has this + i
};

// Behind "sim.graphs": a const GraphDriver*, valid while the device is open; NULL where the setting
// graphs is 0.
struct GraphDriver {
  const char* (*message)();

  // Work that is enqueued into the stream is recorded from then on.
  std::int32_t (*begin)(Stream* stream);
  // Work that comes next belongs to that op.
  std::int32_t (*annotate)(Stream* stream, DriverText op, std::uint64_t item);
  // Which waits for those ops alone; without it, for what came before.
  std::int32_t (*depend)(Stream* stream, const std::uint64_t* items, std::uint64_t count);
  std::int32_t (*end)(Stream* stream, DriverGraph** out_graph);
  std::int32_t (*abort)(Stream* stream);
  DriverCapture (*status)(Stream* stream);

  std::uint64_t (*node_count)(const DriverGraph* graph);
  DriverNode (*node)(const DriverGraph* graph, std::uint64_t index);
  std::uint64_t (*bytes)(const DriverGraph* graph);  // of host memory, about
  void (*destroy_graph)(DriverGraph* graph);

  std::int32_t (*instantiate)(const DriverGraph* graph, DriverExec** out_exec);
  std::int32_t (*launch)(DriverExec* exec, Stream* stream, const DriverLaunch* launch);
  // Changes later launches: where an argument lies (flat: inputs, then outputs), or all tasks.
  std::int32_t (*patch)(DriverExec* exec, std::uint64_t item, std::uint32_t argument,
                        void* address);
  std::int32_t (*update)(DriverExec* exec, const DriverGraph* graph);
  void (*destroy_exec)(DriverExec* exec);
};

}  // namespace loci::sim
