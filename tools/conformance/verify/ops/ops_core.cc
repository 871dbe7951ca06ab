#include "tools/conformance/verify/ops/ops_core.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <loci/error.hpp>
#include <loci/executor.hpp>

#include "tools/conformance/runner.h"
#include "tools/conformance/verify/launch/launch_traps.h"

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

Outcome outcome_of(conformance::Outcome outcome) {
  switch (outcome) {
    case conformance::Outcome::kPassed: return Outcome::kPassed;
    case conformance::Outcome::kAbsent: return Outcome::kAbsent;
    case conformance::Outcome::kFailed: break;
  }
  return Outcome::kFailed;
}

}  // namespace

const Place& OpsCore::place() {
  if (!started_) {
    started_ = true;
    start();
  }
  if (!usable_) skip("the place {} cannot be used: see ops/place", options_.place);
  return place_;
}

// Others that bring the same device type would do its work, unless it needs them: a plugin of
// kernels for a device that it does not bring.
void OpsCore::configure() const {
  plugins::SearchOptions search{{target_.manifest.path}, options_.directories, {}};
  plugins::configure(search);
  for (const plugins::Candidate& other : plugins::report()) {
    if (is_file(other, target_.manifest.path)) continue;
    const bool is_rival = has_device_ && share_type(other, target_.manifest);
    if (other.id != target_.manifest.id && is_rival) search.disabled_ids.push_back(other.id);
  }
  plugins::configure(search);
}

void OpsCore::start() {
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

void OpsCore::explain(const std::exception& error) const {
  for (const plugins::Candidate& candidate : plugins::report()) {
    if (!is_file(candidate, target_.manifest.path)) continue;
    if (candidate.failed) fail("the core cannot load it: {}", candidate.cause);
    if (!candidate.unavailable.empty()) {
      skip("this machine has no such device: {}", candidate.unavailable);
    }
  }
  if (!has_device_) {
    skip("it brings no device of its own, and no other plugin brings {} ({})", options_.place,
         error.what());
  }
  fail("{}", error.what());
}

Verdict OpsCore::run(const Case& subject) { return run_at(subject, place()); }

Verdict OpsCore::run_at(const Case& subject, const Place& place) {
  return watch([&] { return run_unwatched(subject, place); });
}

Verdict OpsCore::watch(const std::function<Verdict()>& run) {
  take_findings();
  Verdict verdict = run();
  const std::vector<std::string> findings = take_findings();
  if (findings.empty()) return verdict;
  // They may be why the result is wrong.
  const std::string wrong = verdict.outcome == Outcome::kFailed ? "; " + verdict.message : "";
  verdict.outcome = Outcome::kFailed;
  verdict.message = fmt::format("{}{}", fmt::join(findings, "; "), wrong);
  return verdict;
}

Verdict OpsCore::run_unwatched(const Case& subject, const Place& place) const {
  const CaseResult result = conformance::run_case(subject, place);
  Verdict verdict{outcome_of(result.outcome), result.message};
  const std::string own = target_.manifest.id + "/";
  std::string others;
  for (const std::string& kernel : result.kernels) {
    if (kernel.rfind(own, 0) == 0) {
      verdict.kernels.insert(kernel);
    } else if (kernel.find('/') != std::string::npos) {  // one without: none was needed
      others = kernel;
    }
  }
  if (!has_device_ && verdict.kernels.empty() && !others.empty()) {
    verdict = {Outcome::kAbsent, fmt::format("{} ran it, which is not the plugin's", others)};
  }
  return verdict;
}

void OpsCore::probe() {
  const Tensor sent = Tensor::from<float>({1, 2, 3}, Shape{3});
  static_cast<void>(sent.to(place()).to(Place()).to_vector<float>());
}

}  // namespace loci::verify
