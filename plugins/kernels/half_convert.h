// 16-bit floating formats to float32 and back in bulk, by the processor's own instructions where it
// has them.
#pragma once

#include <cstdint>
#include <loci/plugin/dtype_visit.hpp>

namespace loci::kernels {

// Give the same bits as the conversions of loci/abi/half.h, one by one. The arrays do not overlap.
void widen(const sdk::f16* from, float* to, std::int64_t count);
void widen(const sdk::bf16* from, float* to, std::int64_t count);
void narrow(const float* from, sdk::f16* to, std::int64_t count);
void narrow(const float* from, sdk::bf16* to, std::int64_t count);

}  // namespace loci::kernels
