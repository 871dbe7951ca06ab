#include "tests/gpu_suite/run_step.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

#include "tests/gpu_suite/readings.h"
#include "tools/loci/child_process.h"

namespace loci::gpu_suite {
namespace {

using runner::ChildResult;

constexpr std::size_t kMostOfALine = 200;

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return {};
  const std::size_t newline = text.rfind('\n', end);
  const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
  const std::size_t length = end + 1 - begin;
  if (length <= kMostOfALine) return text.substr(begin, length);
  return text.substr(begin, kMostOfALine) + "...";
}

std::string write_log(const Step& step, const ChildResult& child,
                      const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / (step.name + ".log");
  std::ofstream log(file);
  log << child.out;
  if (!child.err.empty()) log << "=== stderr\n" << child.err;
  return file.filename();
}

void note_missed(const nlohmann::json& row, std::string* message) {
  if (row.value("met", nlohmann::json()) != nlohmann::json(false)) return;
  *message +=
      fmt::format("{}{}: {:.3g}, budget {} {:.3g}", message->empty() ? "" : "; ",
                  row.value("name", ""), row.value("value", 0.0),
                  row.value("better", "") == "more" ? ">=" : "<=", row.value("budget", 0.0));
}

// A double's time says nothing, so that it keeps no figure that could be taken for one.
void judge_rows(bool emulated, StepResult* result) {
  if (emulated) {
    for (auto& row : result->rows) row = {{"name", row.value("name", "")}, {"emulated", true}};
    return;
  }
  for (const auto& row : result->rows) note_missed(row, &result->message);
}

void judge(const Step& step, const ChildResult& child, bool emulated, StepResult* result) {
  read_output(step.reading, child.out, result);
  judge_rows(emulated, result);
  if (!child.succeeded()) {
    const std::string& said = child.err.empty() ? child.out : child.err;
    result->message = fmt::format("{}: {}", runner::describe_end(child), last_line(said));
  }
  result->outcome = result->message.empty() ? Outcome::kPassed : Outcome::kFailed;
}

std::vector<std::string> joined(std::vector<std::string> first,
                                const std::vector<std::string>& second) {
  // The step's own entry counts where there are two of a name.
  for (const std::string& entry : second) {
    const std::string start = entry.substr(0, entry.find('=') + 1);
    std::erase_if(first, [&](const std::string& other) { return other.starts_with(start); });
    first.push_back(entry);
  }
  return first;
}

}  // namespace

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed: return "passed";
    case Outcome::kFailed: return "failed";
    case Outcome::kSkipped: return "skipped";
  }
  return "";
}

StepResult run_step(const Step& step, const RunSettings& settings) {
  StepResult result{.name = step.name, .group = step.group()};
  if (!step.not_run.empty()) {
    result.message = step.not_run;
    return result;
  }
  std::vector<std::string> command = settings.keeper;
  command.insert(command.end(), step.command.begin(), step.command.end());
  try {
    const ChildResult child =
        runner::run_child({.arguments = command,
                           .limit = step.limit,
                           .environment = joined(settings.environment, step.environment)});
    result.seconds = std::chrono::duration<double>(child.duration).count();
    result.log = write_log(step, child, settings.logs);
    judge(step, child, settings.emulated, &result);
  } catch (const std::exception& error) {
    result.outcome = Outcome::kFailed;
    result.message = error.what();
  }
  return result;
}

}  // namespace loci::gpu_suite
