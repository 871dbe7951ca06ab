// Portable kernels: plain C++ for any device that works in host memory. A file <family>.cc defines
// add_<family>(KernelDefs&), which is called for each of tools/cmake/LociOpFamilies.cmake.
#pragma once

#include <loci/plugin/kernel.hpp>
#include <string_view>
#include <vector>

namespace loci::kernels {

using KernelDefs = std::vector<sdk::KernelDef>;

inline constexpr std::string_view kPortable = "portable";

// Parts of families, attention, softmax and reduce_fold, that have a file of their own.
void add_attention_grad(KernelDefs& kernels);
void add_log_softmax(KernelDefs& kernels);
void add_reduce_fold_grad(KernelDefs& kernels);

// The kernels of all families. Inputs are dense; kernels use the host's parallel_for and no other
// thread.
KernelDefs portable_kernels();

}  // namespace loci::kernels
