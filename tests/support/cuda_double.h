// Which CUDA driver a test runs on: the double, unless LOCI_TEST_CUDA=device says to take that of
// the machine (tests/gpu_suite does). For tests whose checks hold on any device.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/support/paths.h"

namespace loci::test {

inline bool runs_on_device() {
  const char* chosen = std::getenv("LOCI_TEST_CUDA");
  return chosen != nullptr && std::string_view(chosen) == "device";
}

// Before the process first uses the plugin; `settings` are the double's.
inline void use_cuda_double(const char* settings) {
  if (runs_on_device()) return;
  ::setenv("LOCI_CUDA_DRIVER", build_path("lib/loci/cuda_double/libcuda.so.1").c_str(), 1);
  ::setenv("LOCI_CUDA_DOUBLE", settings, 1);
}

// And a library on it: "CUBLASLT", "libcublasLt.so.13".
inline void use_double_of(const std::string& library, const std::string& file) {
  if (runs_on_device()) return;
  ::setenv(("LOCI_CUDA_" + library).c_str(), build_path("lib/loci/cuda_double/" + file).c_str(), 1);
}

}  // namespace loci::test
