// dtypes and static shapes of a program's variables, for given feeds.
#pragma once

#include <string>
#include <vector>

#include "framework/program/program_impl.h"
#include "framework/runtime/plan.h"
#include "framework/tensor/scope_impl.h"

namespace loci::runtime {

// Throws Error(kInvalidArgument) unless every feed is a data or persistable variable of the block,
// is given once, and has its dtype and a shape that fits.
void check_feeds(const program::Block& block, const std::vector<PlanFeed>& feeds);

// Types by VarId, from the feeds, the scope's persistable variables and the ops' shape inference.
// Throws Error(kInvalidArgument) if a data variable that an operator reads is not fed, and
// Error(kNotFound) if a persistable one that is read before it is written is not in the scope.
// Variables that nothing defines have dtype kNone.
std::vector<ops::TensorType> bind_types(const program::Block& block,
                                        const std::vector<const program::Operator*>& operators,
                                        const std::vector<PlanFeed>& feeds,
                                        const tensor::ScopeImpl& scope);

}  // namespace loci::runtime
