// Functions that PTX declares to be elsewhere.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace loci::cuda_double {

// The names that the texts declare .extern, that none of them defines, and that the driver does not
// provide itself.
[[nodiscard]] std::set<std::string> unresolved_functions(const std::vector<std::string>& texts);

}  // namespace loci::cuda_double
