// Calls of the double's functions: counted, and failing on demand.
#pragma once

#include <cstdint>
#include <string>

namespace loci::cudnn_double {

// Any thread may call.
void count_call(const std::string& function);
[[nodiscard]] std::uint64_t call_count(const std::string& function);

// The n-th convolution that is enqueued from now on ends with the status instead; 0 for none.
void plan_failure(std::uint64_t n, int status);
// Throws Refusal where it is this one.
void enter_convolution();

}  // namespace loci::cudnn_double
