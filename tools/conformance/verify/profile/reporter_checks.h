// Checks of "loci.profile.reporter", a part of the level profile.
#pragma once

#include <vector>

#include "tools/conformance/verify/subject.h"
#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

std::vector<Check> reporter_checks(const Target& target);

}  // namespace loci::verify
