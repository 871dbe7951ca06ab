#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <iterator>
#include <loci/settings.hpp>
#include <sstream>

#include "tools/conformance/verify/explanations.h"
#include "tools/conformance/verify/ops/own_cases.h"
#include "tools/conformance/verify/verify.h"
#include "tools/conformance/verify/verify_report.h"
#include "tools/loci/emulated_cuda.h"
#include "tools/loci/model/execution_options.h"
#include "tools/loci/output.h"
#include "tools/loci/plugins/plugin_options.h"
#include "tools/loci/subcommands.h"
#include "tools/loci/verify/verify_progress.h"

namespace loci::runner {
namespace {

constexpr std::uint64_t kMostJobs = 1024;

void declare_verify_command(po::options_description& options) {
  const std::string levels =
      fmt::format("only these: of {}", fmt::join(verify::level_names(), ","));
  options.add_options()                                                        //
      ("level", po::value<std::string>()->value_name("LIST"), levels.c_str())  //
      ("place", po::value<std::string>()->value_name("P"),
       "the device to use; by default the first of the plugin's first type")  //
      ("filter", po::value<std::string>()->value_name("REGEX"),
       "only checks whose name, LEVEL/NAME, matches somewhere")  //
      ("explain", po::value<std::string>()->value_name("CHECK"),
       "say what that check demands, and check nothing; FILE may be left out")  //
      ("exclusions", po::value<std::string>()->value_name("FILE"),
       "a JSON array of what is known not to work: {\"case\": REGEX, \"kind\": "
       "\"unsupported\"|\"expected_failure\", \"reason\": TEXT}")  //
      ("cases", po::value<std::vector<std::string>>()->composing()->value_name("FILE"),
       "a JSON array of cases of your own for the level ops (repeatable): {\"name\", \"op\", "
       "\"attributes\", \"inputs\", \"outputs\"}; the page sdk/README.md has an example")  //
      ("fail-on-stale",
       "an exclusion that no check needs, or that one it matches does not, is a "
       "failure")  //
      ("complete",
       "a case of an op without a kernel is a failure, unless an exclusion tells of it")  //
      ("timeout", po::value<unsigned>()->value_name("SECONDS")->default_value(60),
       "for one check")  //
      ("jobs", po::value<std::string>()->value_name("N"),
       "run cases of ops in N processes beside each other (1 by default); what looks at time or at "
       "memory of the device runs alone, and so does again what failed: the report is the same")  //
      ("quiet",
       "print the report alone; without it, and unless standard output is a terminal, a line for "
       "each check precedes it, written when the check ends")  //
      ("plugin-path", po::value<std::vector<std::string>>()->composing()->value_name("DIR"),
       "search this directory for other plugins that a check needs (repeatable)")  //
      ("emulated",
       "CUDA without a GPU: the plugin opens what LOCI_CUDA_DRIVER names, and that is a driver "
       "that interprets kernels on the processor and checks them")  //
      ("json",
       "print one JSON object: file, id, version, place, passed, counts, levels, kernels, results "
       "of the checks that did not pass (check, outcome, message), slowest (check, seconds), "
       "exclusions (case, kind, reason, used, stale), emulated");
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream text(list);
  for (std::string item; std::getline(text, item, ',');) items.push_back(item);
  return items;
}

std::string text_of(const po::variables_map& values, const char* option) {
  return values.count(option) == 0 ? "" : values[option].as<std::string>();
}

verify::Options options_of(const po::variables_map& values) {
  verify::Options options;
  options.file = values["file"].as<std::string>();
  if (values.count("level") != 0) options.levels = split(text_of(values, "level"));
  options.place = text_of(values, "place");
  options.filter = text_of(values, "filter");
  options.complete = values.count("complete") != 0;
  options.patience = std::chrono::seconds(values["timeout"].as<unsigned>());
  options.directories = texts(values, "plugin-path");
  if (values.count("jobs") != 0) options.jobs = whole_number(values, "jobs", 1, kMostJobs);
  for (const std::string& file : texts(values, "cases")) {
    std::vector<conformance::Case> cases =
        in_phase(Phase::kModel, [&] { return verify::read_own_cases(file); });
    std::move(cases.begin(), cases.end(), std::back_inserter(options.own_cases));
  }
  const std::string exclusions = text_of(values, "exclusions");
  if (!exclusions.empty()) {
    options.exclusions =
        in_phase(Phase::kModel, [&] { return verify::Exclusions::read(exclusions); });
  }
  return options;
}

// Writes failures to standard error, so that they are seen where the report is not.
void judge(const verify::Report& report, bool fail_on_stale) {
  std::string details;
  const std::vector<verify::Result> failures = report.failures();
  for (const verify::Result& failure : failures) {
    details += fmt::format("{}: {}\n", failure.check, failure.message);
  }
  std::size_t count = failures.size();
  for (const verify::Exclusion& exclusion : report.stale()) {
    if (!fail_on_stale) break;
    details += verify::describe(exclusion) + "\n";
    ++count;
  }
  if (count == 0) return;
  throw Failure(
      ExitCode::kCheckFailed,
      fmt::format("[verify] '{}': {} problem{} found", report.file, count, count == 1 ? "" : "s"),
      details);
}

void require_file(const po::variables_map& values) {
  if (values.count("file") != 0) return;
  throw Failure(ExitCode::kUsage,
                "[verify] FILE is missing: a plugin's library, or --explain CHECK");
}

// A terminal has the status line instead.
bool prints_lines(const po::variables_map& values) {
  return values.count("json") == 0 && values.count("quiet") == 0 && ::isatty(STDOUT_FILENO) == 0;
}

verify::Report run_checks(const po::variables_map& values) {
  VerifyProgress progress(prints_lines(values));
  return in_phase(Phase::kDevices, [options = options_of(values), &progress] {
    return verify::verify(options, progress.listener());
  });
}

ExitCode run_verify_command(const po::variables_map& values) {
  if (values.count("explain") != 0) {
    const std::string check = text_of(values, "explain");
    print(in_phase(Phase::kOptions, [&] { return verify::explain(check); }) + "\n");
    return ExitCode::kOk;
  }
  require_file(values);
  // The report has no part of what a case leaves to the log.
  if (values.count("log") == 0) config::set_log_levels("off");
  if (values.count("emulated") != 0) use_emulated_cuda();
  const verify::Report report = run_checks(values);
  if (values.count("json") != 0) {
    nlohmann::ordered_json json = verify::to_json(report);
    json["emulated"] = values.count("emulated") != 0;
    print_json(json);
  } else {
    if (values.count("emulated") != 0) print("emulated CUDA\n");
    print(verify::to_text(report));
  }
  judge(report, values.count("fail-on-stale") != 0);
  return ExitCode::kOk;
}

}  // namespace

Command verify_command() {
  Command command;
  command.name = "verify";
  command.summary = "Checks whether a plugin keeps the rules.";
  command.positionals = {{"file", "FILE", /*required=*/false}};
  command.declare = declare_verify_command;
  command.notes =
      "Each level runs in a process of its own; a check in which the plugin crashes or hangs has\n"
      "failed, and the others go on. Where the device does not work any more, they are skipped.\n"
      "Each check is told of as it ends, by a line such as 'failed mem/fill (3.21 ms): ...', or on "
      "a\n"
      "terminal by a counter; the report behind them has counts, reasons and the slowest ten.\n"
      "Levels:\n"
      "  abi      the file and its tables: symbols, manifest, sizes, versions, functions\n"
      "  life     create, open, close, destroy, again and again, with nothing left behind\n"
      "  mem      memory of each kind, copies and fills, by content\n"
      "  order    streams and events: what comes before what, behind long work\n"
      "  fault    errors that have to come; host memory that runs out; and, where the plugin "
      "takes\n"
      "           the settings fail_alloc, fail_copy, fail_launch, fail_event, fail_task and\n"
      "           lose_device (1: the first), those faults. One that takes a setting refuses a\n"
      "           value that is no number, and then what was asked for has to fail\n"
      "  profile  profile sources and reporters\n"
      "  capture  device graphs, of a capturer or of a backend that one is found for: recordings\n"
      "           and replays in each order, with what is forbidden among them; and kernels that\n"
      "           are LOCI_KERNEL_CAPTURABLE, recorded and replayed. The other plugin of the pair "
      "is\n"
      "           searched for as always; --plugin-path names a directory\n"
      "  ops      cases at the place: your own, those of the plugin's own ops and all of Loci's, "
      "on\n"
      "           small and large tensors, and a few on its other devices. Launches are watched:\n"
      "           none may allocate, block, disturb another one, or read what create and prepare\n"
      "           were lent; an alias and a shape-agnostic kernel have to be what they say\n"
      "A case for which the plugin has no kernel is absent, which is no failure. What a machine "
      "or\n"
      "a kind of device lacks is skipped, with the reason.\n\n" +
      exit_code_help();
  command.run = run_verify_command;
  return command;
}

}  // namespace loci::runner
