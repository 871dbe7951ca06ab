// The toolkit's libcudadevrt.a, as it was at build time: what a program that links kernels at run
// time brings along.
#pragma once

#include <string_view>

namespace loci::cuda_rules {

// Empty where the toolkit had none.
std::string_view device_runtime();

}  // namespace loci::cuda_rules
