// The end of contexts, and the priorities of their streams.
#pragma once

#include "tools/cuda_double/driver/call.h"

namespace loci::cuda_double {

inline constexpr int kLeastPriority = 0;
inline constexpr int kGreatestPriority = -5;

// Waits for the context's work, and frees all that it has; reports what was not freed if leaks are
// looked for.
void end_context(Call& call, Context& context);

}  // namespace loci::cuda_double
