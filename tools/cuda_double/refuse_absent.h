// The refusal of functions that a double of a library has not.
#pragma once

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

namespace loci::cuda_double {

// Returns the library's status for what is not supported. Says the function's name on stderr the
// first time.
inline int refuse_absent(const char* name, int status) {
  static std::mutex mutex;
  static auto* const told = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (told->insert(name).second) std::fprintf(stderr, "[cuda double] %s is not there\n", name);
  return status;
}

}  // namespace loci::cuda_double
