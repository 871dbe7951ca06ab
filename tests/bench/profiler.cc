// Measures what recording costs: a scope off and on, an operator in detail, and making a profile of
// what was recorded.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "framework/profiler/assembly.h"
#include "framework/profiler/clock.h"
#include "framework/profiler/collector.h"
#include "framework/profiler/label_table.h"
#include "framework/profiler/parts.h"
#include "framework/profiler/profile.h"
#include "framework/profiler/scope.h"
#include "tests/bench/peer.h"
#include "tests/bench/report.h"

namespace loci::bench {
namespace {

using profiler::Collector;
using profiler::Level;
using profiler::Part;
using profiler::Scope;

constexpr int kScopes = 10'000;
constexpr int kRepetitions = 41;
constexpr double kOffBudgetNs = 2;
constexpr double kOnBudgetNs = 60;
constexpr double kAggregateBudgetMs = 1000;
constexpr int kEvents = 1'000'000;

// In the loops, so that the compiler does not move scopes together.
void keep_order() { asm volatile("" ::: "memory"); }

void scopes(profiler::LabelId label) {
  for (int i = 0; i < kScopes; ++i) {
    const Scope scope(label);
    keep_order();
  }
}

void operators_in_detail(profiler::LabelId label) {
  for (int i = 0; i < kScopes; ++i) {
    const Scope op(label);
    { const Scope phase(label_of(Part::kPrepareData), 0, Level::kDetail); }
    { const Scope phase(label_of(Part::kInferShape), 0, Level::kDetail); }
    { const Scope phase(label_of(Part::kCompute), 0, Level::kDetail); }
    keep_order();
  }
}

void clock_reads() {
  std::uint64_t sum = 0;
  for (int i = 0; i < kScopes; ++i) {
    sum += profiler::ticks();
    keep_order();
    sum -= profiler::ticks();
    keep_order();
  }
  asm volatile("" : : "r"(sum));
}

void timers() {
  for (int i = 0; i < kScopes; ++i) {
    LOCI_TIMER("timer");
    keep_order();
  }
}

void monotonic_reads() {
  std::uint64_t sum = 0;
  for (int i = 0; i < kScopes; ++i) {
    sum += profiler::monotonic_ns();
    keep_order();
    sum -= profiler::monotonic_ns();
    keep_order();
  }
  asm volatile("" : : "r"(sum));
}

// Keeps the latest only, so that a long measurement finds room.
class Recording {
 public:
  explicit Recording(Level level) {
    profiler::CollectorOptions options;
    options.level = level;
    options.keep_last = std::chrono::hours(1);
    Collector::instance().begin(options);
  }
  ~Recording() { Collector::instance().end(); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
};

double per_scope(double ns) { return ns / kScopes; }

void measure_scopes(Report* report) {
  const profiler::LabelId label =
      profiler::LabelTable::instance().intern({.kind = LOCI_SPAN_OP, .name = "relu"});
  const double off = median_ns({{"off", [&] { scopes(label); }}}, kRepetitions)[0];
  double on = 0;
  double reads = 0;
  double detail = 0;
  {
    const Recording recording(Level::kOp);
    const std::vector<double> ns =
        median_ns({{"on", [&] { scopes(label); }}, {"reads", clock_reads}}, kRepetitions);
    on = ns[0];
    reads = ns[1];
  }
  {
    const Recording recording(Level::kDetail);
    detail = median_ns({{"detail", [&] { operators_in_detail(label); }}}, kRepetitions)[0];
  }
  std::string why;
  const auto peer = run_peer("torch_record_function.py", std::to_string(kScopes), &why);
  if (!peer) report->note("PyTorch: " + why);
  const auto peer_value = [&](const char* name) {
    return peer ? std::optional<double>(peer->at(name)) : std::nullopt;
  };
  report->add({"a scope, off", per_scope(off), "ns", true, "PyTorch record_function",
               peer_value("off_ns"), kOffBudgetNs});
  report->add({"a scope, on", per_scope(on), "ns", true, "PyTorch record_function",
               peer_value("on_ns"), kOnBudgetNs});
  report->add({"of it two clock reads", per_scope(reads), "ns", true, "", {}, {}});
  report->add({"an operator in detail, four scopes",
               per_scope(detail),
               "ns",
               true,
               "",
               {},
               4 * kOnBudgetNs});
}

// While nothing is recorded.
void measure_timers(Report* report) {
  const std::vector<double> ns =
      median_ns({{"timer", timers}, {"reads", monotonic_reads}}, kRepetitions);
  report->add({"a timer", per_scope(ns[0]), "ns", true, "", {}, {}});
  report->add({"of it two reads of the monotonic clock", per_scope(ns[1]), "ns", true, "", {}, {}});
}

// Operators with a phase each, so that there are two events for each.
void measure_profile(Report* report) {
  std::vector<profiler::LabelId> labels;
  for (int i = 0; i < 100; ++i) {
    labels.push_back(profiler::LabelTable::instance().intern(
        {.kind = LOCI_SPAN_OP, .name = "relu", .instance = "relu_" + std::to_string(i)}));
  }
  const auto make = [&] {
    profiler::CollectorOptions options;
    options.level = Level::kDetail;
    Collector::instance().begin(options);
    for (int i = 0; i < kEvents / 2; ++i) {
      const Scope op(labels[static_cast<std::size_t>(i) % labels.size()]);
      const Scope compute(label_of(Part::kCompute), 0, Level::kDetail);
    }
    const std::uint64_t start = profiler::monotonic_ns();
    profiler::Assembly assembly(profiler::LabelTable::instance());
    assembly.add_period(Collector::instance().end());
    const profiler::Profile profile(assembly.finish(0));
    return static_cast<double>(profiler::monotonic_ns() - start) / 1e6;
  };
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) times.push_back(make());
  std::sort(times.begin(), times.end());
  report->add({"stop and aggregate 1,000,000 events",
               times[times.size() / 2],
               "ms",
               true,
               "",
               {},
               kAggregateBudgetMs});
}

// One run of a chain of small operators with nobody looking, and recorded.
void measure_run(Report* report) {
  constexpr int kOperators = 1000;
  Program main;
  Program startup;
  const ProgramGuard building(main, startup);
  Variable value = data("x", {1}, kFloat32);
  for (int i = 0; i < kOperators; ++i) value = scale(value, 1.0);
  Executor executor("cpu", CompileOptions::none());
  const Feed feed{{"x", Tensor::from<float>({1.0F}, {1})}};
  const std::vector<Fetch> fetch{value};
  const auto run = [&] { executor.run(main, feed, fetch); };
  run();
  const double off = median_ns({{"off", run}}, kRepetitions)[0];
  const Recording recording(Level::kOp);
  const double on = median_ns({{"on", run}}, kRepetitions)[0];
  report->add({"an operator of a run, added by recording",
               (on - off) / kOperators,
               "ns",
               true,
               "",
               {},
               kOnBudgetNs});
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("profiler", argc, argv);
    loci::bench::measure_scopes(&report);
    loci::bench::measure_timers(&report);
    loci::bench::measure_run(&report);
    loci::bench::measure_profile(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_profiler: %s\n", error.what());
    return 1;
  }
}
