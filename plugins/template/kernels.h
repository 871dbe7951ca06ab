// The kernels of the sample device.
#pragma once

#include <loci/plugin/kernel.hpp>

namespace sample_plugin {

loci::sdk::KernelList make_kernels();

// Puts a constant into the layout that the kernel of matmul chose.
void pack_by_columns(const loci::sdk::RelayoutCall& call);

}  // namespace sample_plugin
