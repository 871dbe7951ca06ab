// A handful of float32 kernels. There is no sgd and no random op, so that these fall back.
#pragma once

#include <loci/plugin/kernel.hpp>

namespace loci::test {

sdk::KernelList toy_kernels();

// A layout of its own, for elementwise_mul.
void pack_halves(const sdk::RelayoutCall& call);

}  // namespace loci::test
