// An error for each function that the double has not, which names it. Their arguments are nobody's
// concern, so that cuda.h is not needed, and would be in the way.
#include "tools/cuda_double/driver/api/absent_functions.h"

#include <map>
#include <string>

#include "tools/cuda_double/refuse_absent.h"

namespace {

constexpr int kNotSupported = 801;  // CUDA_ERROR_NOT_SUPPORTED

}  // namespace

#define LOCI_ABSENT(name) \
  extern "C" int name() { return loci::cuda_double::refuse_absent(#name, kNotSupported); }
#include "tools/cuda_double/driver/api/absent_functions.inc"
#undef LOCI_ABSENT

namespace loci::cuda_double {

void* absent_function(const std::string& name) {
  static const auto& all = *new std::map<std::string, int (*)()>{
#define LOCI_ABSENT(name) {#name, name},
#include "tools/cuda_double/driver/api/absent_functions.inc"
#undef LOCI_ABSENT
  };
  const auto found = all.find(name);
  return found == all.end() ? nullptr : reinterpret_cast<void*>(found->second);
}

}  // namespace loci::cuda_double
