// An error for each function that the double has not, which names it. Their arguments are nobody's
// concern, so that CUPTI's headers are not needed, and would be in the way.
#include "tools/cuda_double/refuse_absent.h"

namespace {

constexpr int kNotSupported = 27;  // CUPTI_ERROR_NOT_SUPPORTED

}  // namespace

#define LOCI_ABSENT(name) \
  extern "C" int name() { return loci::cuda_double::refuse_absent(#name, kNotSupported); }
#include "tools/cuda_double/cupti/absent_functions.inc"
#undef LOCI_ABSENT
