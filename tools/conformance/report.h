// A report as text and as JSON.
#pragma once

#include <string>

#include "tools/conformance/runner.h"

namespace loci::conformance {

// One line a family, a line of totals, one line a kernel.
std::string summary(const Report& report);

// {"place", "passed", "failed", "absent", "families": {name: {"passed", "failed", "absent"}},
// "kernels": {name: cases}, "problems": [{"case", "outcome", "message"}], "worst": [{"case",
// "share"}]}: the cases that did not pass, and the ten that used most of their bound.
std::string to_json(const Report& report);

}  // namespace loci::conformance
