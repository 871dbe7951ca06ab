// An error for each function that the double has not, which names it. Their arguments are nobody's
// concern, so that CUPTI's headers are not needed, and would be in the way.
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

namespace {

constexpr int kNotSupported = 27;  // CUPTI_ERROR_NOT_SUPPORTED

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

#define LOCI_ABSENT(name) \
  extern "C" int name() { return refuse(#name); }
#include "tools/cuda_double/cupti/absent_functions.inc"
#undef LOCI_ABSENT
