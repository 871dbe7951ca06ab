// The functions of the CUDA driver that this plugin calls, looked up at run time.
#pragma once

#include <cuda.h>

#include <string>

namespace mycuda {

// cuda.h renames some functions to a version ("cuMemAlloc_v2"): both the member and the name that
// is looked up are what it makes of them.
struct Driver {
#define MYCUDA_FUNCTION(name) decltype(&::name) name = nullptr;
#include "driver_functions.inc"
#undef MYCUDA_FUNCTION
  std::string unavailable;  // why there is none; empty where there is one
};

// Opened and initialised by the first call, from LOCI_CUDA_DRIVER or as libcuda.so.1, and kept.
const Driver& driver();

// Throws what a status means, unless it is success.
void check(CUresult status, const char* action);

}  // namespace mycuda
