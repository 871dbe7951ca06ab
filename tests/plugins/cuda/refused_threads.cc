#include "tests/plugins/cuda/refused_threads.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>

#include "framework/core/sanitizer.h"

namespace loci::test {
namespace {

thread_local bool refuses = false;

}  // namespace

RefusedThreads::RefusedThreads() { refuses = true; }
RefusedThreads::~RefusedThreads() { refuses = false; }

#if defined(LOCI_ASAN) || defined(LOCI_TSAN)
bool RefusedThreads::can() { return false; }

}  // namespace loci::test
#else
bool RefusedThreads::can() { return true; }

}  // namespace loci::test

// In place of the C library's, for all libraries of the process: the linker finds the program's
// functions first.
extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread,
                                                             const pthread_attr_t* attributes,
                                                             void* (*start)(void*),
                                                             void* argument) {
  using Function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto own = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "pthread_create"));
  if (loci::test::refuses) return EAGAIN;
  return own(thread, attributes, start, argument);
}
#endif
