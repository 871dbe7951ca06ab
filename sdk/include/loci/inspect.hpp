// Looking at programs, plans, caches, transfers and capturers.
#pragma once

#include <cstdint>
#include <functional>
#include <loci/executor.hpp>
#include <loci/export.hpp>
#include <loci/place.hpp>
#include <loci/program.hpp>
#include <string>
#include <vector>

namespace loci {
inline namespace v0 {
namespace inspect {

// The program as Graphviz text and as its JSON file form.
LOCI_PUBLIC std::string to_dot(const Program& program);
LOCI_PUBLIC std::string to_json(const Program& program);

// Return what a run must be fed, and what an inference model was saved to return (else nothing).
LOCI_PUBLIC std::vector<Variable> data_variables(const Program& program);
LOCI_PUBLIC std::vector<Variable> results(const Program& program);

// A pass rewrites a program before it runs.
struct Pass {
  std::string name;  // for CompileOptions::disabled_passes
  std::string summary;
};
// In the order in which they run.
LOCI_PUBLIC std::vector<Pass> passes();

// Returns what the passes up to and with `last` (all, if it is empty) make of a program that runs
// at `place` for these fetches; without any, every value that no operator reads is kept. Extents
// that only feeds say stay unknown here, so that a run may fold more. Throws
// Error(kInvalidArgument) for an unknown pass or fetch.
LOCI_PUBLIC Program after_passes(const Program& program, const std::vector<Fetch>& fetches = {},
                                 const std::string& last = {}, const Place& place = Place());

// Where one operator runs and why.
struct PlannedOperator {
  std::string name;
  std::string type;
  std::string place;
  std::string reason;  // user_guard, default, inputs, no_kernel, smaller_copy, decomposed
  // For no_kernel, why each kernel refused; for decomposed, of which operator it is a part, and why
  // the place's kernels refused that; else, at devices, why those before the kernel refused.
  std::string detail;
  std::string kernel;  // "org.loci.cpu/onednn"
  // Which of its place's streams it runs in; 0 is the default one, and the only one of the host.
  int stream = 0;
  // Operators and copies ("copy of x") of other streams that end before it begins, where that does
  // not follow from other waits.
  std::vector<std::string> waits_for;
};

// A copy between places that every run makes, besides feed and fetch.
struct PlannedTransfer {
  std::string variable;
  std::string producer;
  std::string consumer;
  std::string from;
  std::string to;
  std::string reason;  // prepare_data, host_read, fallback, write_back, feed
  std::uint64_t bytes = 0;
  bool synchronous = false;
  int stream = 0;  // of the place it goes to; of the other one, if that is the host
  std::vector<std::string> waits_for;  // as of operators
};

// An operator whose extents hang on values: it is compiled once a run has computed them.
struct DeferredOperator {
  std::string name;
  std::string type;
  // Variables whose values it hangs on, or that operators which wait themselves compute. Empty if
  // it waits only to keep the order in which state is read and changed.
  std::vector<std::string> waits_for;
};

// A parameter that no run of the program changes, in the layout that a kernel likes. It is packed
// before the first run, kept with the parameter for all plans, and packed again only once the
// parameter may have changed; the transfer ledger has a row of reason "pack" for each time.
struct PackedConstant {
  std::string variable;
  std::string consumer;  // the first operator that uses it
  std::string place;
  std::string layout;  // as the kernel's plugin says it
  std::uint64_t bytes = 0;
};

// A value that is no parameter in the layout that the kernels which write and read it like.
struct LaidOutValue {
  std::string variable;
  std::string producer;  // the operator that writes it
  std::string place;
  std::string layout;  // as the kernels' plugin says it
  std::uint64_t bytes = 0;
};

// A parameter that no run of the program changes, at a place other than its own. It is copied there
// before the first run, a transfer of reason "load", kept with the parameter for all plans, and
// copied again only once the parameter may have changed, as what it is needed for.
struct ReplicatedConstant {
  std::string variable;
  std::string consumer;  // the first operator that reads it there
  std::string place;
  std::uint64_t bytes = 0;
};

struct Plan {
  std::vector<PlannedOperator> operators;
  std::vector<DeferredOperator> deferred;      // the rest, in order
  std::vector<PackedConstant> packed;          // those of loops too
  std::vector<ReplicatedConstant> replicated;  // likewise
  std::vector<LaidOutValue> laid_out;          // likewise
  std::vector<PlannedTransfer> transfers;
  // Memory for intermediate values, all places; that of deferred operators comes on top.
  std::uint64_t arena_bytes = 0;
  std::uint64_t live_bytes = 0;      // of what is alive at one time: it cannot be less
  std::uint64_t unshared_bytes = 0;  // what it would be if no buffer were shared
};

// Compiles the program for these feeds and fetches as executor.run() would, and describes it. The
// executor keeps the plan for a run.
LOCI_PUBLIC Plan plan(const Executor& executor, const Program& program, const Feed& feed,
                      const std::vector<Fetch>& fetch);

// A reason that keeps a program from being captured as one graph of the executor's place.
struct CaptureProblem {
  std::string op;  // "[while_loop] while_0 at sim:0, inputs: {...}"; "[capture]" of the whole
  std::string reason;
  std::string remedy;
};
// All of them, in order, found without a run: those of GraphCapture::kRequired, for any executor.
// What is fed and fetched is no problem there; a Graph that captures Executor::run() refuses it.
// Compiles the program as plan() does.
LOCI_PUBLIC std::vector<CaptureProblem> capture_problems(const Executor& executor,
                                                         const Program& program, const Feed& feed,
                                                         const std::vector<Fetch>& fetch);
// Returns the problems of a step of imperative code, for a Graph of that place or a
// CapturedFunction: runs `step` once, as it runs without, and looks at what the calling thread
// does. Besides what is refused, it finds what splits the graph where the device captures natively,
// and what lies at another place and would be read as it was. Each once, the first 1,000. The
// graph's streams are the thread's current one at that place and those that are forked off it by
// events. What the step only does once, such as making an optimizer's state, belongs into an
// earlier run of it. Throws Error(kUnavailable) for the place, Error(kInvalidArgument) within a
// capture or a trace, and what the step throws.
LOCI_PUBLIC std::vector<CaptureProblem> capture_problems(const std::function<void()>& step,
                                                         const Place& place);
// A line for each: "[op] ...: reason; remedy\n".
LOCI_PUBLIC std::string to_string(const std::vector<CaptureProblem>& problems);

// Launches and copies of a plan that follow each other.
struct CapturedPart {
  bool is_native = false;  // one launch of a graph of the device's; else the host launches each
  std::uint64_t items = 0;
  std::string first;           // the operator or copy that it begins with: "matmul_0"
  std::string reason;          // why it is not native; empty if it is
  std::uint64_t branches = 1;  // how many of its items run at the same time, at most
};
// The outcome of the captures of a plan. All numbers are zero before the second run.
struct LOCI_PUBLIC PlanCapture {
  std::vector<CapturedPart> parts;  // of the latest capture, in order
  std::uint64_t captures = 0;       // one for each run at the same time
  std::uint64_t replays = 0;        // runs since
  std::uint64_t capture_ns = 0;     // of the latest
  std::uint64_t bytes = 0;          // of graphs, and of memory that feeds are copied into, about
  std::uint64_t arena_bytes = 0;    // what a graph keeps besides: the plan's intermediate values
  // patches, recaptures and reinstantiations count as they do in GraphStats.
  std::uint64_t patches = 0;
  std::uint64_t recaptures = 0;
  std::uint64_t reinstantiations = 0;
  // On the CPU, once the launches of some runs have been measured: those that threads of the team
  // share, in so many pieces; 0 where that would not pay. Runs with and without that, and what
  // either takes as measured when they last took turns; 0 before.
  std::uint64_t shared_launches = 0;
  std::uint64_t pieces = 0;
  std::uint64_t shared_runs = 0;
  std::uint64_t plain_runs = 0;
  std::uint64_t shared_ns = 0;
  std::uint64_t plain_ns = 0;
  // "23 of 25 launches and copies in 2 graphs; ..." and a line for each reason.
  [[nodiscard]] std::string to_string() const;
};
// Takes an executor whose CompileOptions::capture is not kOff; compiles as plan() does.
LOCI_PUBLIC PlanCapture capture(const Executor& executor, const Program& program, const Feed& feed,
                                const std::vector<Fetch>& fetch);

// How often kernels of one name were prepared, how often they declined instead, and how long both
// took.
struct KernelPreparation {
  std::string kernel;  // "org.loci.cpu/onednn"
  std::uint64_t count = 0;
  std::uint64_t declined = 0;
  std::uint64_t nanoseconds = 0;
};

// Plans, frames and kernels kept so that the next run, or call, need not make them again. Bytes.
struct Caches {
  std::uint64_t plans = 0;              // each for a program, its feeds and fetches
  std::uint64_t plan_bytes = 0;         // also of the plans of loops and of deferred operators
  std::uint64_t frame_bytes = 0;        // records of runs, and what captured ones compute in
  std::uint64_t shared_bytes = 0;       // what other runs compute in, whichever plan they are of
  std::uint64_t most_plan_bytes = 0;    // for plans and frames: LOCI_PLAN_CACHE
  std::uint64_t kernels = 0;            // prepared ones
  std::uint64_t kernel_bytes = 0;       // with the code that libraries generated for them
  std::uint64_t most_kernel_bytes = 0;  // LOCI_KERNEL_CACHE
  // Since the executor, or the process, began; by name.
  std::vector<KernelPreparation> preparations;
};
LOCI_PUBLIC Caches caches(const Executor& executor);
// Returns the caches of imperative code, which keeps kernels only.
LOCI_PUBLIC Caches imperative_caches();

// A row of the transfer ledger of the current context.
struct Transfer {
  std::string variable;
  std::string producer;
  std::string consumer;
  std::string from;
  std::string to;
  // feed, fetch, prepare_data, host_read, fallback, write_back, load, pack, explicit
  std::string reason;
  std::uint64_t bytes = 0;
  bool host_waited = false;
  double microseconds = 0;
};
// The latest rows, oldest first.
LOCI_PUBLIC std::vector<Transfer> transfers();

// Who records what a Graph captures at a device as graphs of the device's own.
struct Capturer {
  std::string plugin;       // its id; empty if nobody does, and the host launches op by op
  std::string reason;       // why nobody does, "there is no capturer for npu"; else empty
  bool has_failed = false;  // there is one, which neither opened the device nor declined it
};
// Opens the device, and its capturer. Throws Error(kUnavailable) as device_properties() does.
LOCI_PUBLIC Capturer capturer(const Place& place);

}  // namespace inspect
}  // namespace v0
}  // namespace loci
