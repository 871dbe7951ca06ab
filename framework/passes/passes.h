// The passes themselves, one file each.
#pragma once

#include "framework/passes/pass.h"

namespace loci::passes {

// Infers types anew, from those of data and persistable variables, and replaces operators all of
// whose inputs are known by assign_value; a list that is read on the host and known becomes the
// attribute that it stands for. Small values only.
void fold_constants(program::Block& block, const PassContext& context);

// Puts the operators of a branch in place of control flow whose predicates are known, and lets what
// a known mask selects stand for the selection.
void take_known_branches(program::Block& block, const PassContext& context);

// Removes operators that change nothing; their readers read what these read. Of transposes in a row
// one is left, and of reshapes.
void eliminate_no_ops(program::Block& block, const PassContext& context);

// Removes an operator that computes what an earlier one does; its readers read the earlier one.
void merge_common_subexpressions(program::Block& block, const PassContext& context);

// Removes operators whose outputs nobody reads.
void remove_dead_code(program::Block& block, const PassContext& context);

// Puts the one op in place of operators that together compute what it does, where nobody sees what
// lies between and the place has kernels of it. What overflows or underflows on the way may not
// with the op: log_softmax is finite where the logarithm of a softmax is not.
void recognise_ops(program::Block& block, const PassContext& context);

// Puts a fused_matmul or fused_conv2d in place of a product and what nothing else reads behind it:
// the bias of its columns, a normalisation by running statistics, a sum with a tensor of its shape,
// an activation; where the place has kernels of it.
void fuse_epilogues(program::Block& block, const PassContext& context);

// Puts a fused_elementwise in place of elementwise operators of one place and one shape that read
// each other's results, as far as nothing else has to happen between them; where the place has
// kernels of it and of all of them.
void fuse_elementwise(program::Block& block, const PassContext& context);

}  // namespace loci::passes
