// Operators in a row that only move elements, of which one does for two.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/passes/value_origins.h"

namespace loci::passes {

// Lets a transpose of a transpose, or a reshape of what is reshaped, read what the first one reads.
// The first one stays for its other readers. `origins` knows the operators before this one.
void join_move(program::Operator& op, const ValueOrigins& origins);

// Returns what the first input was before it was reshaped; kNoVar if it was not, or elsewhere.
[[nodiscard]] program::VarId reshaped_from(const program::Operator& op,
                                           const ValueOrigins& origins);
// Returns the permutation of a transpose, counted from the front.
[[nodiscard]] std::vector<std::int64_t> permutation(const program::Operator& op,
                                                    const ValueOrigins& origins);
// Returns true if a list of integers comes from an input, so that the attributes do not say all.
[[nodiscard]] bool reads_lists(const program::Operator& op);

}  // namespace loci::passes
