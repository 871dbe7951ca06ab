#include <fmt/format.h>

#include <loci/io.hpp>
#include <map>

#include "tools/loci/emulated_cuda.h"
#include "tools/loci/model/session.h"
#include "tools/loci/model/tensor_json.h"
#include "tools/loci/output.h"
#include "tools/loci/profile/profile_options.h"
#include "tools/loci/run/capture_report.h"
#include "tools/loci/run/latency.h"
#include "tools/loci/run/repeated_run.h"
#include "tools/loci/subcommands.h"

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;

constexpr RunCounts kSingleRun{0, 1};

void declare_run_command(po::options_description& options) {
  declare_execution_options(options);
  declare_run_options(options, kSingleRun);
  declare_profile_options(options);
  options.add_options()("json",
                        "print one JSON object: model, device, emulated, feeds, results, runs, "
                        "warmup, latency_us, capture");
}

void write_files(const Session& session, const RepeatedRun& outcome) {
  std::map<std::string, io::NamedTensors> archives;  // by path
  for (std::size_t i = 0; i < session.fetches.size(); ++i) {
    const FetchSpec& fetch = session.fetches[i];
    if (fetch.file.is_archive) {
      archives[fetch.file.path].emplace(fetch.file.array, outcome.results[i]);
    } else if (!fetch.is_printed()) {
      io::save_npy(fetch.file.path, outcome.results[i]);
    }
  }
  for (const auto& [path, arrays] : archives) io::save_npz(path, arrays);
}

std::string report_text(const ExecutionOptions& options, const Session& session,
                        const RunCounts& counts, const RepeatedRun& outcome) {
  std::string text;
  for (std::size_t i = 0; i < session.fetches.size(); ++i) {
    const FetchSpec& fetch = session.fetches[i];
    const Tensor& result = outcome.results[i];
    text += fetch.is_printed()
                ? fmt::format("{}: {}\n", fetch.name, result.to_string())
                : fmt::format("{}: {} written to {}\n", fetch.name,
                              type_text(result.dtype(), result.shape()), fetch.file.text());
  }
  if (session.fetches.empty()) text += "done; the model names no results, see --fetch\n";
  if (counts.repeat > 1) {
    const Latency latency = summarize(outcome.microseconds);
    text += fmt::format("latency over {} runs: median {:.1f} µs, min {:.1f} µs\n", counts.repeat,
                        latency.median_us, latency.min_us);
    text += emulation_note(session.executor.place());
  }
  text += capture_text(session, options.compile.capture);
  return text;
}

Json given_feeds_json(const Session& session) {
  Json feeds = Json::array();
  for (const SessionFeed& feed : session.feeds) {
    Json entry{{"name", feed.name}};
    entry.update(type_json(feed.tensor.dtype(), feed.tensor.shape()));
    entry["source"] = feed.source;
    feeds.push_back(std::move(entry));
  }
  return feeds;
}

Json results_json(const Session& session, const RepeatedRun& outcome) {
  Json results = Json::array();
  for (std::size_t i = 0; i < session.fetches.size(); ++i) {
    const FetchSpec& fetch = session.fetches[i];
    Json entry{{"name", fetch.name}};
    entry.update(type_json(outcome.results[i].dtype(), outcome.results[i].shape()));
    entry["file"] = fetch.is_printed() ? Json() : Json(fetch.file.path);
    if (fetch.file.is_archive) entry["array"] = fetch.file.array;
    entry["values"] = fetch.is_printed() ? values_json(outcome.results[i]) : Json();
    results.push_back(std::move(entry));
  }
  return results;
}

Json report_json(const ExecutionOptions& options, const Session& session, const RunCounts& counts,
                 const RepeatedRun& outcome) {
  const Latency latency = summarize(outcome.microseconds);
  return {{"model", options.model},
          {"device", session.executor.place().to_string()},
          {"emulated", is_emulated(session.executor.place())},
          {"feeds", given_feeds_json(session)},
          {"results", results_json(session, outcome)},
          {"runs", counts.repeat},
          {"warmup", counts.warmup},
          {"latency_us", {{"median", latency.median_us}, {"min", latency.min_us}}},
          {"capture", capture_json(session, options.compile.capture)}};
}

ExitCode run_run_command(const po::variables_map& values) {
  const ExecutionOptions options = read_execution_options(values);
  const RunCounts counts = read_run_counts(values, capturing(kSingleRun, options.compile.capture));
  const TransferPolicy transfers = read_transfer_policy(values);
  apply_execution_options(options, values);
  Session session = open_session(options, MissingFeeds::kRefuse);
  in_phase(Phase::kRun, [&] { require_capturable(session, options.compile.capture); });
  const std::unique_ptr<Profiler> profiler = start_profiling(values, counts);
  const RepeatedRun outcome = in_phase(
      Phase::kRun, [&] { return run_repeatedly(session, counts, transfers, profiler.get()); });
  in_phase(Phase::kRun, [&] { write_files(session, outcome); });
  if (values.count("json") != 0) {
    print_json(report_json(options, session, counts, outcome));
  } else {
    print(report_text(options, session, counts, outcome));
  }
  finish_profiling(profiler.get());
  return ExitCode::kOk;
}

}  // namespace

Command run_command() {
  Command command;
  command.name = "run";
  command.summary = "Runs a model and prints or writes its results.";
  command.positionals = {{"model", "MODEL"}};
  command.declare = declare_run_command;
  command.notes =
      "MODEL is a program directory. Without weights in it, its startup program runs first.\n\n" +
      feed_help() + "\n" + exit_code_help();
  command.run = run_run_command;
  return command;
}

}  // namespace loci::runner
