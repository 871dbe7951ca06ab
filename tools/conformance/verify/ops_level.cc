#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <loci/error.hpp>
#include <loci/executor.hpp>

#include "tools/conformance/runner.h"
#include "tools/conformance/verify/launch_traps.h"
#include "tools/conformance/verify/levels.h"

namespace loci::verify {
namespace {

using conformance::Case;
using conformance::CaseResult;

bool is_file(const plugins::Candidate& candidate, const std::string& path) {
  std::error_code unknown;
  return std::filesystem::equivalent(candidate.path, path, unknown);
}

bool share_type(const plugins::Candidate& one, const plugins::Candidate& two) {
  return std::any_of(one.device_types.begin(), one.device_types.end(), [&](const auto& type) {
    return std::find(two.device_types.begin(), two.device_types.end(), type) !=
           two.device_types.end();
  });
}

// The core with the plugin under test, made by the first case of a process.
class Core {
 public:
  Core(Target target, OpsOptions options)
      : target_(std::move(target)), options_(std::move(options)) {}

  // Skips the check where there is no such device; fails it where the core cannot use the plugin.
  const Place& place() {
    if (!started_) {
      started_ = true;
      start();
    }
    if (!usable_) skip("the place {} cannot be used: see ops/place", options_.place);
    return place_;
  }

 private:
  // Others that bring the same device type would do its work.
  void configure() const {
    plugins::SearchOptions search{{target_.manifest.path}, options_.directories, {}};
    plugins::configure(search);
    for (const plugins::Candidate& other : plugins::report()) {
      if (is_file(other, target_.manifest.path) || other.id == target_.manifest.id) continue;
      if (share_type(other, target_.manifest)) search.disabled_ids.push_back(other.id);
    }
    plugins::configure(search);
  }

  void start() {
    if (target_.manifest.failed) return;
    watch_launches(target_.manifest.path);
    configure();
    try {
      place_ = Executor(Place(options_.place)).place();
      usable_ = true;
    } catch (const Error& error) {
      explain(error);
    }
  }

  [[noreturn]] void explain(const Error& error) const {
    for (const plugins::Candidate& candidate : plugins::report()) {
      if (!is_file(candidate, target_.manifest.path)) continue;
      if (candidate.failed) fail("the core cannot load it: {}", candidate.cause);
      if (!candidate.unavailable.empty()) {
        skip("this machine has no such device: {}", candidate.unavailable);
      }
    }
    fail("{}", error.what());
  }

  Target target_;
  OpsOptions options_;
  Place place_{"cpu"};
  bool started_ = false;
  bool usable_ = false;
};

// Others would run on kernels that are not the plugin's.
bool brings_kernels(const plugins::Candidate& plugin) {
  return std::find(plugin.kinds.begin(), plugin.kinds.end(), "backend") != plugin.kinds.end();
}

Outcome outcome_of(conformance::Outcome outcome) {
  switch (outcome) {
    case conformance::Outcome::kPassed: return Outcome::kPassed;
    case conformance::Outcome::kAbsent: return Outcome::kAbsent;
    case conformance::Outcome::kFailed: break;
  }
  return Outcome::kFailed;
}

Verdict run(Core& core, const Case& subject) {
  const Place& place = core.place();
  take_findings();
  const CaseResult result = conformance::run_case(subject, place);
  const std::vector<std::string> findings = take_findings();
  Verdict verdict{outcome_of(result.outcome), result.message};
  // A name without the plugin says that none was needed.
  for (const std::string& kernel : result.kernels) {
    if (kernel.find('/') != std::string::npos) verdict.kernels.insert(kernel);
  }
  if (verdict.outcome != Outcome::kFailed && !findings.empty()) {
    verdict.outcome = Outcome::kFailed;
    verdict.message = fmt::format("{}", fmt::join(findings, "; "));
  }
  return verdict;
}

}  // namespace

std::vector<Check> ops_level(const Target& target, const OpsOptions& options) {
  if (!target.manifest.failed && !brings_kernels(target.manifest)) {
    return {{"ops/place", []() -> Verdict { skip("it is no backend, and has no kernels"); }}};
  }
  const auto core = std::make_shared<Core>(target, options);
  std::vector<Check> checks{{"ops/place", [core] {
                               core->place();
                               return Verdict{};
                             }}};
  const auto suite = std::make_shared<conformance::Suite>(conformance::all_cases());
  for (const Case& subject : suite->cases()) {
    checks.push_back(
        {"ops/" + subject.name(), [core, suite, &subject] { return run(*core, subject); }});
  }
  return checks;
}

}  // namespace loci::verify
