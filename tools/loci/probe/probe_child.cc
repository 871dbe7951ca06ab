#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>

#include "tools/loci/child_process.h"
#include "tools/loci/probe/plugin_probe.h"
#include "tools/loci/probe/probe_report.h"

namespace loci::runner {
namespace {

void report(const char* word, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  write_report(fmt::format("{} {}", word, text));
}

std::string current_message() {
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "of a type that is not a std::exception";
  }
}

// For what no caller catches: out of a static initialiser, a thread or a function that is noexcept.
[[noreturn]] void report_and_abort() {
  if (std::current_exception() != nullptr) report(kExceptionWord, current_message());
  std::abort();
}

void report_result(const plugins::Candidate& candidate) {
  write_report(
      report_line(kResultWord, {{"cause", candidate.cause}, {"remedy", candidate.remedy}}));
}

}  // namespace

ExitCode probe_in_child(const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) {
    throw Failure(ExitCode::kUsage, fmt::format("'{}' takes one file", kProbeSubcommand));
  }
  enter_child();
  std::set_terminate(report_and_abort);
  const plugins::Candidate candidate = plugins::try_out(
      arguments[0], [](std::string_view step) { report(kStepWord, std::string(step)); });
  report_result(candidate);
  report(kStepWord, kExitStep);
  return ExitCode::kOk;
}

}  // namespace loci::runner
