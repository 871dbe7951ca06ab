#include "tools/conformance/verify/verdict.h"

#include <loci/error.hpp>

#include "tools/conformance/verify/trap_host.h"

namespace loci::verify {

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed: return "passed";
    case Outcome::kFailed: return "failed";
    case Outcome::kSkipped: return "skipped";
    case Outcome::kAbsent: return "absent";
    case Outcome::kUnsupported: return "unsupported";
    case Outcome::kExpectedFailure: return "expected_failure";
  }
  return "unknown";
}

namespace {

// Through the core, or through the plugin's tables.
bool tells_of_lost_device(const std::exception& thrown) {
  if (const auto* error = dynamic_cast<const Error*>(&thrown)) {
    return error->code() == ErrorCode::kDeviceLost;
  }
  const auto* error = dynamic_cast<const PluginError*>(&thrown);
  return error != nullptr && error->code() == LOCI_CODE_DEVICE_LOST;
}

}  // namespace

Verdict judge(const Check& check) {
  try {
    return check.run();
  } catch (const CheckSkipped& skipped) {
    return {Outcome::kSkipped, skipped.what()};
  } catch (const std::exception& error) {
    return {Outcome::kFailed, error.what(), {}, tells_of_lost_device(error)};
  } catch (...) {
    return {Outcome::kFailed, "an exception that is no std::exception"};
  }
}

}  // namespace loci::verify
