// Tests of what the double has beyond a driver. Each has a process of its own, in which it sets the
// double up before the first call.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "driver_test.h"

namespace loci::cuda_rules {

class DoubleFresh : public OpenedDriverTest {
 protected:
  // Sets the double up and makes the primary context of device 0 current.
  static void start(const std::string& settings) {
    setenv("LOCI_CUDA_DOUBLE", settings.c_str(), 1);
    must(cu().cuInit(0));
    CUcontext context = nullptr;
    must(cu().cuDevicePrimaryCtxRetain(&context, 0));
    must(cu().cuCtxSetCurrent(context));
  }
};

// The double exports these functions beside a driver's.
template <class Function>
Function* double_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(driver().library, name));
}

inline unsigned finding_count() {
  const auto count = double_function<unsigned()>("loci_cuda_double_finding_count");
  return count == nullptr ? 0 : count();
}

inline std::string finding(unsigned index) {
  const auto text = double_function<const char*(unsigned)>("loci_cuda_double_finding");
  const char* found = text == nullptr ? nullptr : text(index);
  return found == nullptr ? "" : found;
}

}  // namespace loci::cuda_rules
