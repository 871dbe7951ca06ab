// A kernel for float32 that streams may record: assign.
#pragma once

#include <loci/plugin/kernel.hpp>

namespace loci::faulty {

sdk::KernelList capturable_kernels();

}  // namespace loci::faulty
