// Runs the tests in processes of their own: one for each suite, and one for each test of a suite
// whose name ends with Fresh. A test that ends its process fails, and the others go on in the next.
#pragma once

#include <string>
#include <vector>

namespace loci::cuda_rules {

// Set, in the environment, for the processes that run tests themselves.
constexpr const char* kChildVariable = "LOCI_RULES_CHILD";

// The exit code of the program: 1 if a test failed, was lost, or none was found. The arguments are
// GoogleTest's; the driver is not touched here.
int supervise(const std::vector<std::string>& arguments);

}  // namespace loci::cuda_rules
