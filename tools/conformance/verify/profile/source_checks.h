// Checks of "loci.profile.source", a part of the level profile.
#pragma once

#include <vector>

#include "tools/conformance/verify/subject.h"
#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

std::vector<Check> source_checks(const Target& target);

}  // namespace loci::verify
