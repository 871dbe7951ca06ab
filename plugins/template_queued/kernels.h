// The kernels of the sample device.
#pragma once

#include <loci/plugin/kernel.hpp>

namespace sample_plugin {

loci::sdk::KernelList make_kernels();

}  // namespace sample_plugin
