#include "tools/conformance/verify/capture/capture_kernel_checks.h"

#include <memory>
#include <set>

#include "tools/conformance/verify/launch/launch_recorder.h"

namespace loci::verify {
namespace {

using conformance::Case;

// The core, in which the capturer has no part: it records what the core launches.
class RecordedCore {
 public:
  RecordedCore(const Target& target, const OpsOptions& options, const Brought& brought,
               CaptureBenchPtr bench)
      : core_(target, options, brought), bench_(std::move(bench)) {}

  Verdict run(const Case& subject) {
    if (launch_recorder() == nullptr) {
      const CapturePair& pair = bench_->pair();
      use_launch_recorder(pair.capturer, pair.backend.index);
    }
    core_.place();
    launch_recorder()->take_count();
    Verdict verdict = core_.run(subject);
    const bool is_good = verdict.outcome == Outcome::kPassed;
    if (is_good && launch_recorder()->take_count() == 0) {
      skip("no kernel that ran it is LOCI_KERNEL_CAPTURABLE, or its launch cannot be tried");
    }
    return verdict;
  }

 private:
  OpsCore core_;
  CaptureBenchPtr bench_;
};

bool has_elements(const Case& one) {
  return !one.inputs.empty() && one.inputs[0].shape.numel() > 1;
}

}  // namespace

std::vector<Check> capture_kernel_checks(const Target& target, const OpsOptions& options,
                                         const Brought& brought, const CaptureBenchPtr& bench) {
  const auto core = std::make_shared<RecordedCore>(target, options, brought, bench);
  std::vector<Check> checks;
  std::set<std::string> done;
  const conformance::Suite suite = conformance::all_cases();
  for (const Case& subject : suite.cases()) {
    if (brought.kernel_ops.count(subject.op) == 0 || !has_elements(subject)) continue;
    if (subject.inputs[0].dtype != kFloat32 || !done.insert(subject.op).second) continue;
    checks.push_back(
        {"capture/kernel/" + subject.op, [core, subject] { return core->run(subject); }});
  }
  return checks;
}

}  // namespace loci::verify
