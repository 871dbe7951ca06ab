#include "plugins/kernels/simd_trigonometry.h"

namespace loci::kernels::simd {

float far_sin(float x) { return static_cast<float>(std::sin(static_cast<double>(x))); }
float far_cos(float x) { return static_cast<float>(std::cos(static_cast<double>(x))); }
float far_tan(float x) { return static_cast<float>(std::tan(static_cast<double>(x))); }

}  // namespace loci::kernels::simd
