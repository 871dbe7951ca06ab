// Kernels for float32: assign, scale and elementwise_add.
#pragma once

#include <loci/plugin/kernel.hpp>

namespace loci::faulty {

sdk::KernelList faulty_kernels();

}  // namespace loci::faulty
