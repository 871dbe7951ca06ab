#include "tools/loci/devices/device_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "tools/loci/output.h"
#include "tools/loci/plugins/candidate_report.h"
#include "tools/loci/plugins/plugin_options.h"
#include "tools/loci/probe/plugin_probe.h"
#include "tools/loci/probe/probe_report.h"

namespace loci::runner {
namespace {

using plugins::Candidate;
using plugins::Refusal;

// The facts that one child has told.
struct Told {
  std::string plugin;    // whose function it is in; empty between them
  std::string function;  // of that plugin
  Candidates candidates;
  bool is_done = false;
};

class Survey {
 public:
  Survey(const SurveyOptions& options, const SurveyListener& listener)
      : options_(options), listener_(listener) {}

  void probe(PluginProber& prober) {
    for (const Candidate& candidate : plugins::report()) {
      if (candidate.failed || candidate.disabled) continue;
      const ProbeResult result = prober.probe(candidate);
      if (listener_.probed) listener_.probed(candidate, result);
      if (result.outcome != ProbeResult::Outcome::kGood) left_out_[candidate.id] = result.refusal;
    }
  }

  Candidates run() {
    for (;;) {
      Told told;
      const ChildResult child = run_one(&told);
      if (told.is_done) return finish(std::move(told.candidates), child);
      if (told.plugin.empty() || left_out_.count(told.plugin) != 0) give_up(child);
      left_out_[told.plugin] = {end_of(told, child), end_remedy(child, told.plugin)};
    }
  }

 private:
  ChildResult run_one(Told* told) {
    std::vector<std::string> words{options_.program, kSurveySubcommand};
    words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
    for (const auto& entry : left_out_) {
      words.insert(words.end(), {"--no-plugin", entry.first});
    }
    // The child need not probe again what this process has probed.
    return run_child({words,
                      options_.limit,
                      {fmt::format("{}=0", kProbeVariable)},
                      [this, told](std::string_view line) { return take(line, told); }});
  }

  // A plugin may write to the same descriptor, so that anything may come. Whether it is a line of
  // the child's, which has come further then.
  bool take(std::string_view line, Told* told) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos) return false;
    const std::string_view word = line.substr(0, blank);
    const std::string rest(line.substr(blank + 1));
    if (word == kDoneWord) told->is_done = true;
    if (word == kStepWord) {
      const std::size_t end = rest.find(' ');
      told->plugin = end == std::string::npos ? "" : rest.substr(0, end);
      told->function = end == std::string::npos ? "" : rest.substr(end + 1);
    }
    try {
      if (word == kDeviceWord) tell(device_of(nlohmann::json::parse(rest)));
      if (word == kCandidateWord) {
        told->candidates.push_back(candidate_of(nlohmann::json::parse(rest)));
      }
    } catch (const nlohmann::json::exception&) {
      return false;
    }
    return word == kDoneWord || word == kStepWord || word == kDeviceWord || word == kCandidateWord;
  }

  void tell(const CheckedDevice& device) {
    if (places_.insert(device.place).second) listener_.found(device);
  }

  static std::string end_of(const Told& told, const ChildResult& child) {
    const bool has_exited = child.end == ChildResult::End::kExited;
    // Seen and told of by the loader of the child, which gives the status.
    if (has_exited && child.value == static_cast<int>(ExitCode::kFailed)) {
      return step_subject(told.function) + " called exit()";
    }
    return end_cause(told.function, child);
  }

  Candidates finish(Candidates candidates, const ChildResult& child) const {
    print_error(child.err);
    for (Candidate& candidate : candidates) {
      const auto why = left_out_.find(candidate.id);
      if (why == left_out_.end() || candidate.failed) continue;
      candidate.disabled = false;
      candidate.failed = true;
      candidate.cause = why->second.cause;
      candidate.remedy = why->second.remedy;
    }
    return candidates;
  }

  // Not by a plugin's hand.
  [[noreturn]] static void give_up(const ChildResult& child) {
    throw Failure(
        ExitCode::kFailed,
        fmt::format("[devices] the child process that opens the devices {}; try again, and with "
                    "--no-plugin for the plugins that are not needed",
                    describe_end(child)),
        child.err);
  }

  const SurveyOptions& options_;
  const SurveyListener& listener_;
  std::map<std::string, Refusal> left_out_;  // by id
  std::set<std::string> places_;
};

}  // namespace

SurveyOptions survey_options(const po::variables_map& values) {
  SurveyOptions options;
  for (const char* option : {"plugin-path", "plugin", "no-plugin"}) {
    for (const std::string& value : texts(values, option)) {
      options.arguments.push_back(fmt::format("--{}={}", option, value));
    }
  }
  if (values.count("log") != 0) {
    options.arguments.push_back("--log=" + values["log"].as<std::string>());
  }
  if (values.count("probe-timeout") != 0) options.limit = read_probe_limit(values);
  return options;
}

Candidates survey_devices(const SurveyOptions& options, PluginProber* prober,
                          const SurveyListener& listener) {
  Survey survey(options, listener);
  if (prober != nullptr) survey.probe(*prober);
  try {
    return survey.run();
  } catch (const std::system_error& error) {
    throw Failure(ExitCode::kFailed,
                  fmt::format("[devices] no child process could open the devices: {}; try again",
                              error.what()));
  }
}

}  // namespace loci::runner
