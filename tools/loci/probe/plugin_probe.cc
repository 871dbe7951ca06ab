#include "tools/loci/probe/plugin_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string_view>

#include "tools/loci/child_process.h"
#include "tools/loci/probe/probe_report.h"

namespace loci::runner {
namespace {

using Outcome = ProbeResult::Outcome;

// The facts that the report tells, as far as the child came.
struct Report {
  std::string step;
  std::string exception;                   // the one that nobody caught
  std::optional<plugins::Refusal> result;  // an empty one of a good plugin
};

std::optional<plugins::Refusal> parse_result(const std::string& text) {
  const auto object = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return std::nullopt;
  const auto cause = object.find("cause");
  const auto remedy = object.find("remedy");
  if (cause == object.end() || remedy == object.end()) return std::nullopt;
  if (!cause->is_string() || !remedy->is_string()) return std::nullopt;
  return plugins::Refusal{cause->get<std::string>(), remedy->get<std::string>()};
}

// A plugin may write to the same descriptor, so that anything may come.
void take(std::string_view line, Report* report) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return;
  const std::string_view word = line.substr(0, blank);
  const std::string rest(line.substr(blank + 1));
  if (word == kStepWord) report->step = rest;
  if (word == kExceptionWord) report->exception = rest;
  if (word == kResultWord && !report->result) report->result = parse_result(rest);
}

// The last line on standard error, such as that of a failed assertion; at most as much as a line of
// a report can take.
std::string last_words(const std::string& text) {
  constexpr std::size_t kMost = 200;
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
  }
  if (last.size() > kMost) last = last.substr(0, kMost) + "...";
  std::replace_if(
      last.begin(), last.end(), [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
  return last;
}

std::string cause_of(const ChildResult& child, const Report& report) {
  const std::string who = step_subject(report.step);
  if (!report.exception.empty() && child.end == ChildResult::End::kSignalled) {
    return fmt::format("{} let an exception escape: {}", who, report.exception);
  }
  return end_cause(report.step, child);
}

ProbeResult judge(const plugins::Candidate& candidate, const Report& report,
                  const ChildResult& child) {
  if (report.result && !report.result->cause.empty()) return {Outcome::kFailed, *report.result};
  if (report.result && child.succeeded()) return {};
  if (report.step.empty()) {
    return {Outcome::kFailed,
            {fmt::format("it could not be probed: the child process {}", describe_end(child)),
             "probe it again, or load it without --probe"}};
  }
  const bool timed_out = child.end == ChildResult::End::kTimedOut;
  return {timed_out ? Outcome::kTimedOut : Outcome::kEnded,
          {cause_of(child, report), end_remedy(child, candidate.id)}};
}

}  // namespace

std::string step_subject(const std::string& step) {
  if (step == "load") return "loading it";
  if (step == kExitStep) return "its clean-up at exit";
  return "its " + step;
}

std::string end_cause(const std::string& step, const ChildResult& child) {
  std::string cause = fmt::format("{} {}", step_subject(step), describe_end(child));
  // Had it gone on, its report did not come through.
  if (child.succeeded()) cause += " or closed descriptors that are not its own";
  const std::string words = last_words(child.err);
  if (!words.empty()) cause += fmt::format(" (its last words: {})", words);
  return cause;
}

std::string end_remedy(const ChildResult& child, const std::string& id) {
  const bool timed_out = child.end == ChildResult::End::kTimedOut;
  return fmt::format(
      "{}, or leave it out with --no-plugin {}",
      timed_out ? "see whether its device or driver hangs, give it more time with --probe-timeout"
                : "report it to the plugin's author",
      id);
}

std::string outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kGood: return "good";
    case Outcome::kFailed: return "failed";
    case Outcome::kEnded: return "ended";
    case Outcome::kTimedOut: return "timed_out";
  }
  return "unknown";
}

std::string probe_text(const ProbeResult& result) {
  const std::string name =
      result.outcome == Outcome::kTimedOut ? "timed out" : outcome_name(result.outcome);
  if (result.cached) return name + ", seen before";
  return fmt::format("{}, {} ms", name, result.duration.count());
}

ProbeResult probe_plugin(const plugins::Candidate& candidate, std::chrono::milliseconds limit,
                         const std::string& program) {
  Report report;
  ChildCommand command{{program, kProbeSubcommand, candidate.path}, limit};
  command.told = [&report](std::string_view line) {
    take(line, &report);
    return false;  // the limit is for all of it
  };
  const ChildResult child = run_child(command);
  ProbeResult result = judge(candidate, report, child);
  result.duration = child.duration;
  return result;
}

}  // namespace loci::runner
