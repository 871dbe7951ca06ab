#include "tools/loci/model/pass_options.h"

#include <fmt/format.h>

#include <loci/inspect.hpp>

#include "tools/loci/failure.h"

namespace loci::runner {

void check_pass(const std::string& option, const std::string& name) {
  std::string known;
  for (const inspect::Pass& pass : inspect::passes()) {
    if (pass.name == name) return;
    if (!known.empty()) known += ", ";
    known += pass.name;
  }
  throw Failure(ExitCode::kUsage, fmt::format("[--{}] '{}' is not one of {}", option, name, known));
}

std::string pass_help() {
  std::string text = "Passes:\n";
  for (const inspect::Pass& pass : inspect::passes()) {
    text += fmt::format("  {:<34}{}\n", pass.name, pass.summary);
  }
  return text;
}

}  // namespace loci::runner
