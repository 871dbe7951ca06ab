#include "tools/conformance/verify/verdict.h"

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

Verdict judge(const Check& check) {
  try {
    return check.run();
  } catch (const CheckSkipped& skipped) {
    return {Outcome::kSkipped, skipped.what()};
  } catch (const std::exception& error) {
    return {Outcome::kFailed, error.what()};
  } catch (...) {
    return {Outcome::kFailed, "an exception that is no std::exception"};
  }
}

}  // namespace loci::verify
