// Groups of checks in several processes at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "tools/conformance/verify/process/isolation.h"

namespace loci::verify {

// Gives what run_isolated() gives, in the order of `checks`. Of `jobs` processes each runs groups
// of them, behind the checks that precede the first group, with what keeps a check isolated; then
// those without a group run one after another, and again each group in which one neither passed nor
// was absent, since what runs beside a check may be why. So `progress` sees results in the order in
// which they come, and a check whose outcome was another one when it ran alone twice.
std::vector<Result> run_side_by_side(const std::vector<Check>& checks, std::size_t jobs,
                                     std::chrono::milliseconds patience,
                                     const Progress& progress = nullptr,
                                     Vitality* vitality = nullptr);

}  // namespace loci::verify
