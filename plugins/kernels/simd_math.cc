#include "plugins/kernels/simd_math.h"

namespace loci::kernels::simd {

const Ends<float> kFloatEnds{-104, Format<float>::kShift + 129, 10, 40, 4};
const Ends<double> kDoubleEnds{-746, Format<double>::kShift + 1025, 20, 40, 6};

}  // namespace loci::kernels::simd
