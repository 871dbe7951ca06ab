#include "tools/conformance/verify/levels.h"
#include "tools/conformance/verify/profile/reporter_checks.h"
#include "tools/conformance/verify/profile/source_checks.h"

namespace loci::verify {

std::vector<Check> profile_level(const Target& target) {
  std::vector<Check> checks = source_checks(target);
  for (Check& check : reporter_checks(target)) checks.push_back(std::move(check));
  return checks;
}

}  // namespace loci::verify
