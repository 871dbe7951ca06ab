// The questions that the double of the driver answers to a test, and the things it does for it.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "tests/support/paths.h"

namespace loci::test {

// Has the plugin use the doubles; they read these settings when the process first uses them, so
// that all tests of a program have the same.
inline void use_doubles(const char* settings, bool replaces = true) {
  const auto file = [](const char* name) {
    return build_path("lib/loci/cuda_double/" + std::string(name));
  };
  ::setenv("LOCI_CUDA_DRIVER", file("libcuda.so.1").c_str(), 1);
  ::setenv("LOCI_CUDA_CUBLASLT", file("libcublasLt.so.13").c_str(), 1);
  ::setenv("LOCI_CUDA_DOUBLE", settings, replaces ? 1 : 0);
}
inline void use_two_devices() { use_doubles("checks=all,devices=2,seed=3,latency_us=20"); }

// A function that the double exports beside the driver's.
template <class Function>
Function* double_function(const char* name) {
  static void* const library =
      ::dlopen(build_path("lib/loci/cuda_double/libcuda.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
  void* found = library == nullptr ? nullptr : ::dlsym(library, name);
  if (found == nullptr)
    throw std::runtime_error("the double of the driver has no " + std::string(name));
  return reinterpret_cast<Function*>(found);
}

// Driver calls of the process so far.
inline std::uint64_t driver_calls() {
  return double_function<unsigned long long()>("loci_cuda_double_call_count")();
}

// The n-th driver call from now on gives that code; 0 for none.
inline void fail_driver_call(std::uint64_t n, int code) {
  double_function<void(unsigned long long, int)>("loci_cuda_double_plan_failure")(n, code);
}

// The function that failed so since; empty if none did.
inline std::string failed_driver_function() {
  const char* name = double_function<const char*()>("loci_cuda_double_failed_function")();
  return name == nullptr ? "" : name;
}

// Tell what the double found wrong from number `first` on, one to a line.
inline unsigned finding_count() {
  return double_function<unsigned()>("loci_cuda_double_finding_count")();
}
inline std::string findings_since(unsigned first) {
  std::string lines;
  for (unsigned i = first; i < finding_count(); ++i) {
    lines += double_function<const char*(unsigned)>("loci_cuda_double_finding")(i);
    lines += '\n';
  }
  return lines;
}

}  // namespace loci::test
