#include "plugins/kernels/simd_math.h"

namespace loci::kernels::simd {

// The exponents 129 and 1025, with the bias of both halves.
const Ends<float> kFloatEnds{
    -104, Format<float>::kShift + 2 * 127 + 129, 10, 14.5F, 4, -152, -20, 89, 89.5F, 110, 0x1p13F};
const Ends<double> kDoubleEnds{
    -746, Format<double>::kShift + 2 * 1023 + 1025, 20, 40, 6, -1077, -40, 710, 710.6, 752, 0x1p27};

}  // namespace loci::kernels::simd
