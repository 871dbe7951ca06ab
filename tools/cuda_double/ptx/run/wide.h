// A value of 128 bits.
#pragma once

#include <cstdint>

namespace loci::cuda_double {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

}  // namespace loci::cuda_double
