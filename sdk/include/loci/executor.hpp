// Running programs.
#pragma once

#include <cstdint>
#include <loci/export.hpp>
#include <loci/fallback.hpp>
#include <loci/place.hpp>
#include <loci/program.hpp>
#include <loci/scope.hpp>
#include <loci/tensor.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace loci {
namespace executor {
class ExecutorImpl;
}

inline namespace v0 {

// How far a program may be changed before it runs: not at all, every operator runs as written; as
// far as results keep their bits; or as far as each op stays within its documented bound.
enum class Optimization { kNone, kExact, kDefault };

// Chooses if the launches of a program are captured as graphs of their device's own, which a run
// then launches instead of them (loci/graph.hpp tells what such graphs are). The first run of a
// plan is a plain one, the next captures, and each run after that replays. What a run is fed and
// fetches, and variables that have other storage than before, are bound anew in each run: their
// addresses are exchanged in the graph, or, where the capturer cannot do that, they are copied to
// where the graph reads them. Results are the same to the bit.
enum class GraphCapture : std::uint8_t {
  kOff,
  // All that can be captured is: the rest is launched one by one, between graphs. A graph contains
  // loops and branches about which the device can decide by itself, whose bodies then launch work
  // of that device alone; in all others the host decides. inspect::capture() says what, and why. On
  // a device without a capturer nothing is captured. On the CPU the launches of the first runs are
  // timed; where that is faster as measured, threads then share those that are too small for all
  // threads: up to `streams` of them, each of which goes through a part, in an order that is fixed.
  kAuto,
  // The second run is refused, Error(kUnsupported) with all reasons, if a part of the program could
  // not be captured: copies between places other than what is fed, loops and branches about which
  // the host decides, extents that hang on values, operators at another place, or that no graph can
  // have. A device without a capturer may run it: its plan is the list of launches that a graph
  // would be.
  kRequired,
};

// How a program is compiled.
struct CompileOptions {
  static CompileOptions none() {
    CompileOptions options;
    options.optimization = Optimization::kNone;
    options.reuse_memory = false;
    options.pack_constants = false;
    options.chain_layouts = false;
    options.replicate_constants = false;
    options.streams = 1;
    return options;
  }
  static CompileOptions exact() {
    CompileOptions options;
    options.optimization = Optimization::kExact;
    options.pack_constants = false;
    options.chain_layouts = false;
    return options;
  }

  Optimization optimization = Optimization::kDefault;
  // Passes to leave out, by name; see inspect::passes().
  std::vector<std::string> disabled_passes;
  // Reuse memory: outputs in place of inputs where kernels allow, buffers shared by liveness.
  bool reuse_memory = true;
  // Parameters that no run of the program changes are put into the layouts that kernels like, once
  // for all plans (inspect::PackedConstant). They take their memory a second time, and results may
  // differ in the last bits from those of the plain layout.
  bool pack_constants = true;
  // Values that only kernels of one plugin use come in the layouts that these like, so that nothing
  // is reordered between them (inspect::LaidOutValue). Results may differ in the last bits from
  // those of the plain layout.
  bool chain_layouts = true;
  // Parameters that no run of the program changes, and rates that are set between runs, are kept
  // at each place where operators read them, and copied there again only once they may have changed
  // (inspect::ReplicatedConstant); otherwise every run copies them.
  bool replicate_constants = true;
  FallbackPolicy fallback = FallbackPolicy::kWarn;
  // Independent branches of a program run at the same time in up to this many streams of a device,
  // and copies between places beside them. 1: every operator starts when the one before it has been
  // given to its device, and copies are waited for. At most 64. Results are the same to the bit.
  int streams = 4;
  // With it what is not part of a graph runs in the default stream of its device, as if `streams`
  // were 1. A graph forks and joins, where its capturer can and where that pays: independent
  // launches of it run side by side, in up to `streams` branches.
  GraphCapture capture = GraphCapture::kOff;
  // Extents of dimension 0, ascending, of what an executor is fed for data variables whose
  // dimension 0 is dynamic, and of the inputs of functions that compile() makes (loci/trace.hpp).
  // As CaptureOptions::buckets: where they have another extent they are filled up with rows of
  // zeros to the next larger, and the results cut to the rows that were given, so that there is a
  // plan for each bucket instead of one for each extent; only where each row of each result is
  // proven to hang on the same row of what is given alone. That looks through what the fetches
  // need of a program, or calls the function twice more for each bucket, with tensors without
  // elements. Otherwise, and with more rows than the largest, they are taken as they are, and
  // bucket_refusals() of the executor or function has the reason. All of them have the same extent,
  // and so has each result.
  std::vector<std::int64_t> buckets;
  // That each row of each result hangs on the same row of what is given alone, where the user
  // knows it: nothing is proven then, and it is filled up whatever is computed.
  bool rows_are_independent = false;

  friend bool operator==(const CompileOptions& a, const CompileOptions& b) noexcept {
    return a.optimization == b.optimization && a.disabled_passes == b.disabled_passes &&
           a.reuse_memory == b.reuse_memory && a.pack_constants == b.pack_constants &&
           a.chain_layouts == b.chain_layouts && a.replicate_constants == b.replicate_constants &&
           a.fallback == b.fallback && a.streams == b.streams && a.capture == b.capture &&
           a.buckets == b.buckets && a.rows_are_independent == b.rows_are_independent;
  }
};

// Values of data variables, by name.
using Feed = std::vector<std::pair<std::string, Tensor>>;

// The variables that a run returns, by handle or name.
class LOCI_PUBLIC Fetch {
 public:
  Fetch(const Variable& variable);  // NOLINT(google-explicit-constructor): {loss, "accuracy"}
  Fetch(std::string name);          // NOLINT(google-explicit-constructor)
  Fetch(const char* name);          // NOLINT(google-explicit-constructor)

  // Fetches the variable at that place instead of the host: what is computed there is not copied.
  // "gpu" and a bare type are resolved with the executor's place as the preferred one.
  [[nodiscard]] Fetch at(const Place& place) const;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // Null for the host.
  [[nodiscard]] const Place* place() const noexcept { return place_.get(); }

 private:
  std::string name_;
  std::shared_ptr<const Place> place_;
};

// Runs programs with a place as default. Compiles a plan on the first run of a program with a new
// feed signature (names, dtypes, shapes) and keeps it. run() may be called from several threads.
class LOCI_PUBLIC Executor {
 public:
  // Throws Error(kUnavailable) if no plugin brings that device, with the reason of each candidate.
  explicit Executor(const Place& place = Place(), CompileOptions options = {},
                    Scope scope = global_scope());

  // Runs the main block. Fetched tensors own their memory, on the host unless Fetch::at() says
  // otherwise. Data on the host is bound,
  // not copied, where the place can use it: it must not change during the call. Throws
  // Error(kInvalidArgument) for a feed or fetch that does not fit, kNotFound for a persistable
  // variable that is not in the scope (has the startup program run?), kOutOfMemory, kFailed.
  std::vector<Tensor> run(const Program& program, const Feed& feed = {},
                          const std::vector<Fetch>& fetch = {});

  // Why feeds are not filled up to a bucket (CompileOptions::buckets), a line for each form that is
  // not: "x float32[8, 3] at cpu: it is not filled up to a bucket, because ...". Each is logged
  // once, as a warning. The latest 1,024 forms are known.
  [[nodiscard]] std::vector<std::string> bucket_refusals() const;

  [[nodiscard]] const Place& place() const noexcept;
  [[nodiscard]] const Scope& scope() const noexcept;
  [[nodiscard]] const std::shared_ptr<executor::ExecutorImpl>& impl() const noexcept {
    return impl_;
  }

 private:
  std::shared_ptr<executor::ExecutorImpl> impl_;
};

}  // namespace v0
}  // namespace loci
