// This tells whether a program takes functions of the C library over for libraries that it loads.
#pragma once

#include <dlfcn.h>

#include <string>

namespace loci::test {

namespace detail {

inline std::string file_of(const void* address) {
  Dl_info info{};
  return ::dladdr(address, &info) == 0 ? "no file" : info.dli_fname;
}

}  // namespace detail

// The name of this program's own file.
inline std::string own_file() {
  return detail::file_of(reinterpret_cast<const void*>(&detail::file_of));
}

// The name of the file whose function of that name libraries call.
inline std::string file_that_answers(const char* function) {
  return detail::file_of(::dlsym(RTLD_DEFAULT, function));
}

}  // namespace loci::test
