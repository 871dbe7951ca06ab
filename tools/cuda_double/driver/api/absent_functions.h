// Functions of the driver that the double has not.
#pragma once

#include <string>

namespace loci::cuda_double {

// One that gives an error and says its name on stderr, once. NULL: the driver has no such function.
[[nodiscard]] void* absent_function(const std::string& name);

}  // namespace loci::cuda_double
