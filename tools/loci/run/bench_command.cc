#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <loci/devices.hpp>
#include <loci/inspect.hpp>
#include <loci/settings.hpp>
#include <optional>

#include "tools/loci/emulated_cuda.h"
#include "tools/loci/model/session.h"
#include "tools/loci/model/tensor_json.h"
#include "tools/loci/output.h"
#include "tools/loci/quantity.h"
#include "tools/loci/run/capture_report.h"
#include "tools/loci/run/interruption.h"
#include "tools/loci/run/latency.h"
#include "tools/loci/run/repeated_run.h"
#include "tools/loci/subcommands.h"
#include "tools/loci/text_table.h"

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr RunCounts kBenchCounts{10, 100};

struct Report {
  double compile_us = 0;    // the first stage, all of most models
  double first_run_us = 0;  // with what only a run can do: rest of compiling, touching memory
  inspect::Plan plan;
  Latency latency;
  std::size_t runs = 0;               // timed: fewer than were asked for where Ctrl-C came
  std::optional<std::int64_t> batch;  // samples of one run
  std::size_t transfers = 0;          // between places in each run, besides feed and fetch
  std::uint64_t transfer_bytes = 0;
  std::uint64_t arena_bytes = 0;
  std::uint64_t live_bytes = 0;
  std::uint64_t peak_bytes = 0;          // at the device
  std::uint64_t process_peak_bytes = 0;  // resident memory of the process
  std::string capture_text;
  std::vector<inspect::KernelPreparation> preparations;  // by name
};

void declare_bench_command(po::options_description& options) {
  declare_execution_options(options);
  declare_run_options(options, kBenchCounts);
  options.add_options()(
      "json",
      "print one JSON object: model, device, emulated, threads, feeds, runs, warmup, "
      "compile_us, first_run_us, latency_us, throughput, memory, transfers, "
      "preparations, capture");
}

template <class Work>
double time_us(Work&& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Returns the extent that the feeds agree on where the model leaves the first one open.
std::optional<std::int64_t> batch_of(const Session& session) {
  std::optional<std::int64_t> batch;
  for (const SessionFeed& feed : session.feeds) {
    const Shape& declared = session.program.find(feed.name).shape();
    if (declared.rank() == 0 || declared[0] != kDynamicDim) continue;
    const std::int64_t extent = feed.tensor.shape()[0];
    if (batch && *batch != extent) return std::nullopt;
    batch = extent;
  }
  return batch;
}

std::uint64_t process_peak_bytes() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

// A plan may copy what is fed to where an operator needs it; that is the feed's.
void count_transfers(Report& report) {
  for (const inspect::PlannedTransfer& copy : report.plan.transfers) {
    if (copy.reason == "feed") continue;
    ++report.transfers;
    report.transfer_bytes += copy.bytes;
  }
}

// Compiling, and the first run.
Report measure_start(Session& session, const TransferPolicy& transfers) {
  Report report;
  report.compile_us = time_us([&] {
    report.plan = inspect::plan(session.executor, session.program, session.feed(), session.fetch());
  });
  report.first_run_us = time_us([&] {
    const TransferGuard policy(transfers);
    session.executor.run(session.program, session.feed(), session.fetch());
  });
  return report;
}

void measure_runs(Session& session, const RunCounts& counts, const TransferPolicy& transfers,
                  GraphCapture capture, Report& report) {
  std::vector<double> times;
  {
    const Interruption interruption;
    times =
        run_repeatedly(session, counts, transfers, nullptr, &Interruption::has_come).microseconds;
  }
  report.runs = times.size();
  if (times.empty()) return;
  report.latency = summarize(times);
  report.batch = batch_of(session);
  count_transfers(report);
  report.arena_bytes = report.plan.arena_bytes;
  report.live_bytes = report.plan.live_bytes;
  report.peak_bytes = memory_use(session.executor.place()).peak_in_use;
  report.process_peak_bytes = process_peak_bytes();
  report.capture_text = capture_text(session, capture);
  report.preparations = inspect::caches(session.executor).preparations;
}

// Divides a second by the mean: that many runs one after another take one.
double runs_per_second(const Report& report) { return 1e6 / report.latency.mean_us; }

std::string latency_text(const Latency& latency) {
  TextTable table({"min", "median", "mean", "p90", "p99", "max"});
  table.add({duration_text(latency.min_us), duration_text(latency.median_us),
             duration_text(latency.mean_us), duration_text(latency.p90_us),
             duration_text(latency.p99_us), duration_text(latency.max_us)});
  return table.to_string();
}

std::string throughput_text(const Report& report) {
  const double runs = runs_per_second(report);
  std::string text = fmt::format("{:.1f} runs/s", runs);
  if (!report.batch) return text;
  const double samples = runs * static_cast<double>(*report.batch);
  return text + fmt::format(", {:.1f} samples/s ({} a run)", samples, *report.batch);
}

// "12 in 1.9 ms, most for org.loci.cpu/onednn, 3 in 1.5 ms".
std::string preparation_text(const Report& report) {
  inspect::KernelPreparation all;
  inspect::KernelPreparation most;
  for (const inspect::KernelPreparation& each : report.preparations) {
    all.count += each.count;
    all.nanoseconds += each.nanoseconds;
    if (each.nanoseconds > most.nanoseconds) most = each;
  }
  const auto span = [](const inspect::KernelPreparation& preparation) {
    return fmt::format("{} in {}", preparation.count,
                       duration_text(static_cast<double>(preparation.nanoseconds) / 1000));
  };
  if (most.count == 0) return span(all);
  return fmt::format("{}, most for {}, {}", span(all), most.kernel, span(most));
}

Json preparations_json(const Report& report) {
  Json kernels = Json::array();
  for (const inspect::KernelPreparation& each : report.preparations) {
    kernels.push_back({{"kernel", each.kernel},
                       {"count", each.count},
                       {"declined", each.declined},
                       {"us", static_cast<double>(each.nanoseconds) / 1000}});
  }
  return kernels;
}

// Tells what is known before the model is compiled.
std::string head_text(const Session& session) {
  const std::string place = session.executor.place().to_string();
  std::string text =
      fmt::format("device {}{}, threads {}\n{}", place, emulation_mark(session.executor.place()),
                  config::threads(), emulation_note(session.executor.place()));
  for (const SessionFeed& feed : session.feeds) {
    text +=
        fmt::format("feed {} {}\n", feed.name, type_text(feed.tensor.dtype(), feed.tensor.shape()));
  }
  return text;
}

std::string start_text(const Report& report) {
  return fmt::format("\ncompilation  {}, first run {}\n", duration_text(report.compile_us),
                     duration_text(report.first_run_us));
}

std::string report_text(const Session& session, const RunCounts& counts, const Report& report) {
  const std::string asked =
      report.runs == counts.repeat ? "" : fmt::format(" of {}, until Ctrl-C", counts.repeat);
  std::string text = fmt::format("\nlatency of {} runs{}, after {} to warm up\n{}\n", report.runs,
                                 asked, counts.warmup, latency_text(report.latency));
  text += fmt::format("throughput   {}\n", throughput_text(report));
  text += fmt::format("preparation  of kernels {}\n", preparation_text(report));
  text += fmt::format(
      "memory peak  {} at {} (intermediate values {}, of which {} are alive at one "
      "time), {} of the process\n",
      bytes_text(report.peak_bytes), session.executor.place().to_string(),
      bytes_text(report.arena_bytes), bytes_text(report.live_bytes),
      bytes_text(report.process_peak_bytes));
  text += fmt::format("transfers    {} a run besides feed and fetch", report.transfers);
  if (report.transfers != 0) text += fmt::format(", {}", bytes_text(report.transfer_bytes));
  return text + "\n" + report.capture_text;
}

Json timed_feeds_json(const Session& session) {
  Json feeds = Json::array();
  for (const SessionFeed& feed : session.feeds) {
    Json entry{{"name", feed.name}};
    entry.update(type_json(feed.tensor.dtype(), feed.tensor.shape()));
    feeds.push_back(std::move(entry));
  }
  return feeds;
}

Json throughput_json(const Report& report) {
  const double runs = runs_per_second(report);
  Json throughput{{"runs_per_s", runs}, {"batch", Json()}, {"samples_per_s", Json()}};
  if (report.batch) {
    throughput["batch"] = *report.batch;
    throughput["samples_per_s"] = runs * static_cast<double>(*report.batch);
  }
  return throughput;
}

Json report_json(const ExecutionOptions& options, const Session& session, const RunCounts& counts,
                 const Report& report) {
  const Latency& latency = report.latency;
  return {{"model", options.model},
          {"device", session.executor.place().to_string()},
          {"emulated", is_emulated(session.executor.place())},
          {"threads", config::threads()},
          {"feeds", timed_feeds_json(session)},
          {"runs", report.runs},
          {"warmup", counts.warmup},
          {"compile_us", report.compile_us},
          {"first_run_us", report.first_run_us},
          {"latency_us",
           {{"min", latency.min_us},
            {"median", latency.median_us},
            {"mean", latency.mean_us},
            {"p90", latency.p90_us},
            {"p99", latency.p99_us},
            {"max", latency.max_us}}},
          {"throughput", throughput_json(report)},
          {"memory",
           {{"device_peak_bytes", report.peak_bytes},
            {"process_peak_bytes", report.process_peak_bytes},
            {"arena_bytes", report.arena_bytes},
            {"live_bytes", report.live_bytes}}},
          {"transfers", {{"count", report.transfers}, {"bytes", report.transfer_bytes}}},
          {"preparations", preparations_json(report)},
          {"capture", capture_json(session, options.compile.capture)}};
}

ExitCode run_bench_command(const po::variables_map& values) {
  const ExecutionOptions options = read_execution_options(values);
  refuse_outputs(options.fetches, "a benchmark writes no results");
  const RunCounts counts = read_run_counts(values, kBenchCounts);
  const TransferPolicy transfers = read_transfer_policy(values);
  apply_execution_options(options, values);
  Session session = open_session(options, MissingFeeds::kRefuse);
  const bool json = values.count("json") != 0;
  in_phase(Phase::kRun, [&] { require_capturable(session, options.compile.capture); });
  if (!json) print(head_text(session));
  Report report = in_phase(Phase::kRun, [&] { return measure_start(session, transfers); });
  if (!json) print(start_text(report));
  in_phase(Phase::kRun,
           [&] { measure_runs(session, counts, transfers, options.compile.capture, report); });
  if (report.runs == 0) {
    print_error("loci: error: interrupted before the first timed run\n");
  } else if (json) {
    print_json(report_json(options, session, counts, report));
  } else {
    print(report_text(session, counts, report));
  }
  if (Interruption::has_come()) Interruption::end_process();
  return ExitCode::kOk;
}

}  // namespace

Command bench_command() {
  Command command;
  command.name = "bench";
  command.summary = "Runs a model many times and tells latency, throughput and memory.";
  command.positionals = {{"model", "MODEL"}};
  command.declare = declare_bench_command;
  command.notes =
      "MODEL is a program directory. A run is timed from its feeds to its fetched results.\n"
      "Ctrl-C ends it after the run that is under way, with what was measured up to then.\n"
      "Percentiles are by nearest rank; throughput is by the mean. Samples are counted where the\n"
      "model leaves the first extent of its feeds open and the feeds agree on it.\n\n" +
      feed_help() + "\n" + exit_code_help();
  command.run = run_bench_command;
  return command;
}

}  // namespace loci::runner
