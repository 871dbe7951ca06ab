// Work of a device that is recorded once and then done again and again, with next to no cost on the
// host: the semantics of CUDA graphs, on every device.
//
//   loci::Tensor x = loci::full({1}, 1.0f, loci::kFloat32);
//   loci::Graph graph("cpu");
//   graph.capture_begin();
//   loci::Tensor y = x + 10.0f;
//   graph.capture_end();   // nothing is computed yet
//   graph.replay();        // y is 11
//   x.fill_(2);
//   graph.replay();        // y is 12
//
// Between capture_begin() and capture_end() what the thread has the device do is recorded instead:
// imperative ops, copies in place and between places, functions in streams, and runs of programs
// (Executor::run() without feed and fetch, whose inputs and outputs are persistable variables). The
// first run of a program comes before, so that what is done once is not done in each replay.
//
// Refused, each with the op, the place, the reason and a remedy: reading on the host what the graph
// computes or changes, waiting for the device (but see CaptureMode), control flow whose predicate
// the host reads, extents that hang on values, what the thread has another place do (operators,
// copies, replays, runs of programs; constants may be made anywhere), random ops of plugins, and
// streams that are forked off and not joined; inspect::capture_problems() (loci/inspect.hpp) tells
// all of them at once, by a run of the step without a capture. After such an error the capture has
// failed: capture_end() throws it again, and nothing is left of it.
//
// A replay leaves in tensors the gradients that the step left, and adds to one that a tensor had
// before the capture. It is refused where a tensor has one now and had none, or the other way
// round, or has other hooks.
//
// Each replay draws the random numbers that the same ops would draw without a graph: k replays are
// k steps, to the bit.
//
// Each replay checks first that what the graph reads and writes is still what was captured, and
// refuses otherwise before anything runs: a tensor that nobody but graphs has any more (work under
// way counts as somebody), so that nobody can have changed it; one that has failed; one that the
// host has read within the capture, and that has changed since; a variable of a scope that has
// another type now. A variable that has another storage now is read from there.
//
// Outputs have no elements before the first replay: the user may read them, which warns, and what
// would compute from them fails.
//
// Where a plugin of the kind "capture" serves the device, a graph is the device's own: a replay
// costs the host one launch for each of its segments. A segment is a run of ops that the device can
// record; between two of them lies what only the host can do, such as a function of the user's.
// Elsewhere, and where a segment could not be made natively, its ops are launched one by one, to
// the same effect: GraphStats::segments says which those are, and why.
#pragma once

#include <cstdint>
#include <loci/export.hpp>
#include <loci/place.hpp>
#include <loci/stream.hpp>
#include <memory>
#include <string>
#include <vector>

namespace loci {
namespace capture {
class GraphImpl;
class GraphMemory;
}  // namespace capture

inline namespace v0 {

// Which threads may not, while a graph is captured, wait for its device or give its memory back.
enum class CaptureMode : std::uint8_t {
  kGlobal,       // none
  kThreadLocal,  // the one that captures
  kRelaxed,      // all may; and another thread may add to the graph, or end its capture
};

// Memory of graphs, out of which no other tensor gets any. A handle: copies mean the same pool. Its
// memory goes back when neither a graph nor a tensor of it is left. Thread-safe.
class LOCI_PUBLIC GraphPool {
 public:
  GraphPool() = default;  // none: a graph makes one of its own
  explicit GraphPool(std::shared_ptr<capture::GraphMemory> memory) : memory_(std::move(memory)) {}

  [[nodiscard]] bool defined() const { return memory_ != nullptr; }
  // Bytes of its tensors now, and bytes that it holds; all places together.
  [[nodiscard]] std::uint64_t bytes_in_use() const;
  [[nodiscard]] std::uint64_t bytes_held() const;
  // Gives back what no graph uses and no tensor has. Waits for the devices. Throws
  // Error(kInvalidArgument) while a graph is captured into the pool.
  void empty_cache() const;

  [[nodiscard]] const std::shared_ptr<capture::GraphMemory>& memory() const { return memory_; }
  friend bool operator==(const GraphPool& a, const GraphPool& b) { return a.memory_ == b.memory_; }
  friend bool operator!=(const GraphPool& a, const GraphPool& b) { return !(a == b); }

 private:
  std::shared_ptr<capture::GraphMemory> memory_;
};

// Allows or refuses graphs of several segments where the device captures natively. Refused: what
// the device cannot record ends the capture with an error that names it, and why.
enum class GraphSplitting : std::uint8_t { kAllowed, kRefused };

struct GraphOptions {
  CaptureMode mode = CaptureMode::kThreadLocal;
  GraphPool pool = {};
  GraphSplitting splitting = GraphSplitting::kAllowed;
};

// Launches, copies and functions that follow each other.
struct GraphSegment {
  bool is_native = false;  // one launch of a graph of the device's; else the host launches each
  std::uint64_t items = 0;
  std::uint64_t nodes = 0;  // of the device's graph
  std::uint64_t bytes = 0;  // of host memory that it keeps, about
  std::string reason;       // why it is not native, "there is no capturer for cpu"; empty if it is
};

// All zero before the capture has ended, and after reset().
struct GraphStats {
  std::uint64_t launches = 0;        // of kernels, in each replay
  std::uint64_t copies = 0;          // likewise
  std::uint64_t host_functions = 0;  // likewise
  std::uint64_t program_runs = 0;    // whose launches are counted above
  // Tensors of others that its work reads or writes. What only the host has read within the
  // capture is none, although each replay checks that it has stayed.
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;     // tensors that it makes and that were there at the end
  std::uint64_t peak_bytes = 0;  // of its own memory, at one time of the capture
  std::uint64_t replays = 0;
  std::uint64_t capture_ns = 0;        // from capture_begin() to the end of capture_end()
  std::vector<GraphSegment> segments;  // in order
  // The counts of native segments, when variables had other storage than before: addresses that
  // were exchanged, and where the capturer cannot do that, segments that were captured again, of
  // which some had to be instantiated again, too.
  std::uint64_t patches = 0;
  std::uint64_t recaptures = 0;
  std::uint64_t reinstantiations = 0;
};

// A graph is used by one thread at a time, but for what CaptureMode::kRelaxed allows. It belongs to
// the context in which it was made.
class LOCI_PUBLIC Graph {
 public:
  // At the place of the innermost DeviceGuard, or without one at the CPU.
  Graph();
  // Throws Error(kUnavailable). With `pool`, its memory comes from there: what tensors of earlier
  // graphs in it have left may be used again, so that a replay of an earlier graph makes those
  // outputs of later ones unreadable that lie there, until the later one is replayed.
  explicit Graph(const Place& place, CaptureMode mode = CaptureMode::kThreadLocal,
                 const GraphPool& pool = {});
  Graph(const Place& place, const GraphOptions& options);
  // Gives a capture that is under way up, and does what reset() does.
  ~Graph();
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&& other) noexcept;

  [[nodiscard]] const Place& place() const;
  [[nodiscard]] CaptureMode mode() const;

  // Ops of the thread at the graph's place are recorded from now on; in a stream of the graph's
  // own, or in that of the innermost StreamGuard. Throws Error(kInvalidArgument) if it is captured
  // already, or within a StreamGuard of the place's default stream.
  void capture_begin();
  // Throws what the capture has failed with, and Error(kInvalidArgument) if none was begun, on
  // another thread (unless the mode is relaxed), and for streams that were not joined. Nothing is
  // left of a capture that has failed: another one may be begun.
  void capture_end();
  // Gives a capture up that is under way; nothing happens without one.
  void abort() noexcept;
  [[nodiscard]] bool is_capturing() const;
  [[nodiscard]] bool is_captured() const;

  // Does all of it in the place's current stream, or in that one, and returns at once, as ops do:
  // behind what uses its tensors and memory. Throws Error(kInvalidArgument) before anything is done
  // if it is not captured, or is not what was captured any more.
  void replay();
  void replay(const Stream& stream);

  // Waits for replays that are under way, and forgets what was captured; nothing happens without.
  // Its outputs stay, with their elements.
  void reset();
  [[nodiscard]] GraphPool pool() const;
  [[nodiscard]] GraphStats stats() const;
  // Writes "<prefix>.dot": a node for each launch, copy and function, an edge from what writes a
  // tensor to what reads it; and "<prefix>.segments.txt": its segments, and the nodes of those that
  // are native, as the capturer tells them. Throws Error(kFailed) if it cannot be written, and
  // kInvalidArgument if nothing is captured.
  void print_to_dot_files(const std::string& prefix) const;

 private:
  std::unique_ptr<capture::GraphImpl> impl_;
};

// Captures while it lives. What is thrown within gives the capture up.
class LOCI_PUBLIC CaptureScope {
 public:
  explicit CaptureScope(Graph& graph);
  // Ends the capture. An error is logged: end() throws it.
  ~CaptureScope();
  CaptureScope(const CaptureScope&) = delete;
  CaptureScope& operator=(const CaptureScope&) = delete;

  void end();

 private:
  Graph& graph_;
  int exceptions_;
  bool has_ended_ = false;
};

}  // namespace v0
}  // namespace loci
