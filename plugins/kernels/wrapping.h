// Integer arithmetic modulo 2^n.
#pragma once

#include <type_traits>

namespace loci::kernels {

// At least 32 bits wide and unsigned, so that overflow wraps and the narrow types do not get
// promoted to int.
template <class T>
using wrapping_t = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

}  // namespace loci::kernels
