// mma and ldmatrix.
#include "tools/cuda_double/ptx/family.h"

namespace loci::cuda_double {

void translate_matrix(Translator& /*translator*/, Form form) { form.unsupported(); }

}  // namespace loci::cuda_double
