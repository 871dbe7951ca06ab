// Elements of 16 bits or 8 as 32 bits, by dtype: float32 for float16 and bfloat16, uint32 for
// integers, of which a result keeps the lower bits.
#pragma once

#include <cstdint>
#include <loci/plugin/dtype_visit.hpp>

namespace loci::kernels {

// Returns true for numbers of 16 bits or 8.
bool is_narrow(loci_dtype dtype);
// LOCI_DTYPE_F32 or LOCI_DTYPE_U32, for a narrow one.
loci_dtype wide_dtype(loci_dtype narrow);

// The arrays do not overlap.
void widen_elements(loci_dtype narrow, const void* from, void* to, std::int64_t count);
void narrow_elements(loci_dtype narrow, const void* from, void* to, std::int64_t count);

}  // namespace loci::kernels
