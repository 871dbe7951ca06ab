// An error for each function that the double has not, which names it. Their arguments are nobody's
// concern, so that cuda.h is not needed, and would be in the way.
#include "tools/cuda_double/driver/api/absent_functions.h"

#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace loci::cuda_double {
namespace {

constexpr int kNotSupported = 801;  // CUDA_ERROR_NOT_SUPPORTED

int refuse(const char* name) {
  static std::mutex mutex;
  static auto* const told = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (told->insert(name).second) {
    std::fprintf(stderr, "[cuda double] %s is not there\n", name);
  }
  return kNotSupported;
}

}  // namespace
}  // namespace loci::cuda_double

#define LOCI_ABSENT(name) \
  extern "C" int name() { return loci::cuda_double::refuse(#name); }
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
