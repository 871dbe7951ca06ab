// Operators that are valid: those of the programs of the conformance cases.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/fuzz/operator_case.h"

namespace loci::fuzz {

// Returns forward and gradient operators by op; only those that are small.
std::map<std::string, std::vector<OperatorCase>> collect_seeds();

}  // namespace loci::fuzz
