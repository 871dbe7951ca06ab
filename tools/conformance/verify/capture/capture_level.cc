#include <algorithm>

#include "tools/conformance/verify/capture/capture_change_checks.h"
#include "tools/conformance/verify/capture/capture_control_checks.h"
#include "tools/conformance/verify/capture/capture_fork_checks.h"
#include "tools/conformance/verify/capture/capture_kernel_checks.h"
#include "tools/conformance/verify/capture/capture_life_checks.h"
#include "tools/conformance/verify/capture/capture_random_checks.h"
#include "tools/conformance/verify/capture/capture_replay_checks.h"
#include "tools/conformance/verify/capture/capture_session_checks.h"
#include "tools/conformance/verify/levels.h"

namespace loci::verify {

std::vector<Check> capture_level(const Target& target, const OpsOptions& options,
                                 const Brought& brought) {
  const auto bench = std::make_shared<CaptureBench>(target, options.directories);
  std::vector<Check> checks;
  const auto add = [&](std::vector<Check> more) {
    std::move(more.begin(), more.end(), std::back_inserter(checks));
  };
  add(capture_session_checks(bench));
  add(capture_replay_checks(bench));
  add(capture_change_checks(bench));
  add(capture_control_checks(bench));
  add(capture_fork_checks(bench));
  add(capture_life_checks(bench));
  add(capture_random_checks(bench));
  add(capture_kernel_checks(target, options, brought, bench));
  return checks;
}

}  // namespace loci::verify
