// Programs with dynamic dimensions: what a size that is new costs over a run of one that is known,
// what of that is oneDNN's share, our preparing and the first launches, and what memory thousands
// of sizes leave behind. The peer runs the programs that Loci saves, at the same sizes, and comes
// before each run that counts, so that caches are as it leaves them.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <loci/loci.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/bench/dynamic_cases.h"
#include "tests/bench/dynamic_peer.h"
#include "tests/bench/live_peer.h"
#include "tests/bench/report.h"
#include "tests/bench/turns.h"
#include "tests/support/subprocess.h"

namespace loci::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTimedSizes = 40;
constexpr int kDepth = 1;
constexpr int kDeeper = 4;  // what a further operator takes, without what each size takes once
constexpr int kSteadyRuns = 11;
constexpr int kSizes = 5000;
constexpr int kSizesBefore = 10;
constexpr double kOperatorBudgetUs = 20;
constexpr double kMemoryBudgetMib = 64;
constexpr double kTolerance = 1e-3;
constexpr const char* kPeerScript = "dynamic.py";
constexpr const char* kGrowthOption = "--growth";  // of ourselves, followed by a case

double resident_mib() {
  std::ifstream file("/proc/self/statm");
  double all = 0;
  double resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

class Job {
 public:
  explicit Job(const DynamicCase& of, int depth = kDepth)
      : executor_("cpu", CompileOptions(), scope_) {
    const ProgramGuard building(main_, startup_);
    input_ = data("x", of.declared, kFloat32);
    result_ = of.build(input_, depth);
    executor_.run(startup_);
  }

  [[nodiscard]] std::function<void(const std::string&)> saver() const {
    return [this](const std::string& path) {
      io::save_inference_model(path, main_, {input_}, {result_}, scope_);
    };
  }
  double run_us(const Tensor& x) {
    const Feed feed{{"x", x}};
    const auto start = Clock::now();
    fetched_ = executor_.run(main_, feed, {result_});
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  }
  // Returns the time that a plan takes to prepare and to show.
  double plan_us(const Tensor& x) const {
    const auto start = Clock::now();
    (void)inspect::plan(executor_, main_, {{"x", x}}, {result_});
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  }
  // Returns the result of the latest run.
  [[nodiscard]] const Tensor& result() const { return fetched_[0]; }
  [[nodiscard]] std::size_t operators(const Tensor& x) const {
    return inspect::plan(executor_, main_, {{"x", x}}, {result_}).operators.size();
  }
  // Returns the time that oneDNN's kernels took up to now, their asking and declining included.
  [[nodiscard]] inspect::KernelPreparation onednn() const {
    for (const auto& each : inspect::caches(executor_).preparations) {
      if (each.kernel == "org.loci.cpu/onednn") return each;
    }
    return {};
  }

 private:
  Program main_;
  Program startup_;
  Scope scope_;
  Executor executor_;
  Variable input_;
  Variable result_;
  std::vector<Tensor> fetched_;
};

// The medians over sizes that are new.
class NewSizes {
 public:
  NewSizes(Job* job, Job* deeper, LivePeer* peer)
      : job_(job), deeper_(deeper), live_peer_(peer), peer_(peer, job->saver()) {}

  void measure(const DynamicCase& of) {
    for (int i = 0; i < kTimedSizes; ++i) {
      // Spread over the sizes, the first of which are too small for oneDNN.
      const Tensor x = settled(randn(of.size(i * 12)));
      // The first size packs the weights as well, which no other does.
      const bool counts = i != 0;
      time_theirs(x, counts);
      const NewSize ours = time_new(job_, x);
      check(of.name, x);
      give_peer_a_turn(x);
      const Own own = own_of(ours, time_known(job_, x));
      give_peer_a_turn(x);
      const NewSize deeper = time_new(deeper_, x);
      give_peer_a_turn(x);
      const Own own_deeper = own_of(deeper, time_known(deeper_, x));
      if (counts) count(ours, own, own_deeper);
      give_peer_a_turn(x);
      time_parts(settled(randn(of.size(i * 12 + 6))), counts);
    }
  }

  [[nodiscard]] bool has_peer() const { return peer_.is_there(); }
  void add_rows(const std::string& name, Report* report) const {
    const auto add = [&](const std::string& what, const Values& ours, const Values& theirs) {
      Row row{name + ": " + what, median(ours), "us", true, "", {}, {}};
      if (peer_.is_there()) {
        row.peer = peer_.name();
        row.peer_value = median(theirs);
      }
      report->add(row);
    };
    report->add({name + ": a new size, per op, without oneDNN",
                 median(per_operator_),
                 "us",
                 true,
                 "",
                 {},
                 kOperatorBudgetUs});
    report->add({name + ": of that, per further op", median(further_), "us", true, "", {}, {}});
    report->add({name + ": and for each new size once", median(once_), "us", true, "", {}, {}});
    report->add({name + ": preparing its plan, per op, without oneDNN",
                 median(planning_),
                 "us",
                 true,
                 "",
                 {},
                 {}});
    report->add({name + ": its first run over a steady one, once that is prepared",
                 median(first_launch_us_),
                 "us",
                 true,
                 "",
                 {},
                 {}});
    report->add({name + ": kernels of oneDNN a new size", median(compiled_), "", true, "", {}, {}});
    report->add({name + ": their preparation", median(compiling_us_), "us", true, "", {}, {}});
    add("a new size over a steady run", new_us_, their_new_us_);
    add("a steady run", steady_us_, their_steady_us_);
  }

 private:
  using Values = std::vector<double>;

  struct NewSize {
    double first_us = 0;
    double steady_us = 0;
    double onednn_us = 0;
    std::uint64_t onednn_kernels = 0;
    std::size_t operators = 0;
  };

  // Nothing is under way that makes it.
  static Tensor settled(Tensor x) {
    (void)x.to_vector<float>();
    return x;
  }

  // The time that a new size takes, without oneDNN.
  struct Own {
    double us = 0;
    double operators = 0;
    [[nodiscard]] double per_operator() const { return us / operators; }
  };

  NewSize time_new(Job* job, const Tensor& x) const {
    const LivePeer::Rest rest(*live_peer_);
    const inspect::KernelPreparation before = job->onednn();
    NewSize size;
    size.first_us = job->run_us(x);
    const inspect::KernelPreparation after = job->onednn();
    size.steady_us = steady_us(job, x);
    size.onednn_us = microseconds(before, after);
    size.onednn_kernels = after.count - before.count;
    size.operators = job->operators(x);
    return size;
  }

  // A run of a size that is known.
  double time_known(Job* job, const Tensor& x) const {
    const LivePeer::Rest rest(*live_peer_);
    return job->run_us(x);
  }

  static Own own_of(const NewSize& size, double known_us) {
    return {size.first_us - known_us - size.onednn_us, static_cast<double>(size.operators)};
  }

  void count(const NewSize& size, const Own& own, const Own& deeper) {
    new_us_.push_back(size.first_us - size.steady_us);
    steady_us_.push_back(size.steady_us);
    compiled_.push_back(static_cast<double>(size.onednn_kernels));
    compiling_us_.push_back(size.onednn_us);
    per_operator_.push_back(own.per_operator());
    const double further = (deeper.us - own.us) / (deeper.operators - own.operators);
    further_.push_back(further);
    once_.push_back(own.us - further * own.operators);
  }

  // The plan, and what runs for the first time, apart.
  void time_parts(const Tensor& x, bool counts) {
    const LivePeer::Rest rest(*live_peer_);
    const inspect::KernelPreparation before = job_->onednn();
    const double prepared_us = job_->plan_us(x);
    const inspect::KernelPreparation after = job_->onednn();
    const double shown_us = job_->plan_us(x);
    const double first_us = job_->run_us(x);
    const double steady = steady_us(job_, x);
    if (!counts) return;
    planning_.push_back((prepared_us - shown_us - microseconds(before, after)) /
                        static_cast<double>(job_->operators(x)));
    first_launch_us_.push_back(first_us - steady);
  }

  static double steady_us(Job* job, const Tensor& x) {
    Values steady;
    for (int run = 0; run < kSteadyRuns; ++run) steady.push_back(job->run_us(x));
    return median(steady);
  }

  static double microseconds(const inspect::KernelPreparation& before,
                             const inspect::KernelPreparation& after) {
    return static_cast<double>(after.nanoseconds - before.nanoseconds) / 1000;
  }

  void time_theirs(const Tensor& x, bool counts) {
    if (!peer_.is_there()) return;
    const DynamicPeer::Times times = peer_.time_size(x, kSteadyRuns);
    their_result_ = times.result;
    if (!counts) return;
    their_new_us_.push_back(times.first_us - times.steady_us);
    their_steady_us_.push_back(times.steady_us);
  }

  void give_peer_a_turn(const Tensor& x) {
    if (peer_.is_there()) (void)peer_.time_size(x, kSteadyRuns);
  }

  void check(const std::string& name, const Tensor& x) const {
    if (!peer_.is_there()) return;
    require_same(name + " of " + x.shape().to_string(), doubles(job_->result()),
                 doubles(their_result_), kTolerance);
  }

  static Values doubles(const Tensor& tensor) { return cast(tensor, kFloat64).to_vector<double>(); }

  Job* job_;
  Job* deeper_;
  LivePeer* live_peer_;
  DynamicPeer peer_;
  Tensor their_result_;
  Values per_operator_;
  Values further_;
  Values once_;
  Values planning_;
  Values first_launch_us_;
  Values compiled_;
  Values compiling_us_;
  Values new_us_;
  Values steady_us_;
  Values their_new_us_;
  Values their_steady_us_;
};

std::vector<Shape> sizes_of(const DynamicCase& of) {
  std::vector<Shape> sizes;
  for (int i = 0; i < kSizes; ++i) sizes.push_back(of.size(i));
  return sizes;
}

// Returns the memory that thousands of sizes leave behind, and the mean time of their runs, most of
// them the first at their size.
DynamicPeer::Growth run_sizes(Job* job, const std::vector<Shape>& sizes) {
  double before = 0;
  double us = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i == kSizesBefore) before = resident_mib();
    Tensor x = Tensor::empty(sizes[i], kFloat32);
    x.fill_(0.5);
    us += job->run_us(x);
  }
  return {resident_mib() - before, us / static_cast<double>(sizes.size())};
}

// A process of its own prints this: memory that other cases leave or give back is not counted.
void print_growth(const std::string& name) {
  for (const DynamicCase& each : dynamic_cases()) {
    if (each.name != name) continue;
    Job job(each);
    const DynamicPeer::Growth growth = run_sizes(&job, sizes_of(each));
    std::printf("%.3f %.3f\n", growth.mib, growth.us);
    return;
  }
  throw std::invalid_argument("dynamic: no case " + name);
}

DynamicPeer::Growth growth_of(const std::string& name) {
  const test::Finished finished = test::run_process({"/proc/self/exe", kGrowthOption, name});
  if (finished.exit_code != 0) throw std::runtime_error(finished.err);
  DynamicPeer::Growth growth;
  std::istringstream(finished.out) >> growth.mib >> growth.us;
  return growth;
}

void measure_growth(const DynamicCase& of, Report* report) {
  const DynamicPeer::Growth ours = growth_of(of.name);
  Row memory{of.name + ": resident memory of 5,000 sizes",
             ours.mib,
             "MiB",
             true,
             "",
             {},
             kMemoryBudgetMib};
  Row time{of.name + ": a run of the 5,000", ours.us, "us", true, "", {}, {}};
  LivePeer live_peer(kPeerScript);
  DynamicPeer peer(&live_peer, Job(of).saver());
  if (peer.is_there()) {
    const DynamicPeer::Growth theirs = peer.run_sizes(sizes_of(of), kSizesBefore);
    memory.peer = time.peer = peer.name();
    memory.peer_value = theirs.mib;
    time.peer_value = theirs.us;
  }
  report->add(memory);
  report->add(time);
}

void measure(Report* report) {
  LivePeer peer(kPeerScript);
  if (!peer.is_up()) report->note("peers: " + peer.why());
  bool is_missed = false;
  for (const DynamicCase& each : dynamic_cases()) {
    if (!report->is_wanted(each.name)) continue;
    seed(7);
    {
      Job job(each);
      Job deeper(each, kDeeper);
      NewSizes sizes(&job, &deeper, &peer);
      sizes.measure(each);
      sizes.add_rows(each.name, report);
      is_missed = is_missed || (peer.is_up() && !sizes.has_peer());
    }
    measure_growth(each, report);
  }
  if (is_missed) report->note("peers: ONNX Runtime is absent; tools/setup --peers installs it");
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    if (argc == 3 && std::string(argv[1]) == loci::bench::kGrowthOption) {
      loci::bench::print_growth(argv[2]);
      return 0;
    }
    loci::bench::Report report("dynamic", argc, argv);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_dynamic: %s\n", error.what());
    return 1;
  }
}
