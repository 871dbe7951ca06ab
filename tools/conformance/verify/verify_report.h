// A report on a plugin as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/conformance/verify/verify.h"

namespace loci::verify {

// A line for each level with its counts, one for each check that failed, and why others were
// skipped, are absent or excluded; and the slowest ones.
std::string to_text(const Report& report);
// A stale exclusion in a sentence.
std::string describe(const Exclusion& exclusion);

// {"file", "id", "version", "place", "passed": true if no check failed, "counts": {outcome: n},
//  "levels": {name: {outcome: n}}, "kernels": {"id/name": cases}, "results": [{"check", "outcome",
//  "message"}] of the checks that did not pass, "slowest": [{"check", "seconds"}], "exclusions":
//  [{"case", "kind", "reason", "used", "stale"}]}. An outcome is passed, failed, skipped, absent,
//  unsupported or expected_failure; one
// that no check had is left out.
nlohmann::ordered_json to_json(const Report& report);

}  // namespace loci::verify
