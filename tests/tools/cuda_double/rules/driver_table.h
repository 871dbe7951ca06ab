// The CUDA driver, opened at run time: a program that has this needs none to be built or started.
#pragma once

#include <cuda.h>
#include <cudaProfiler.h>

#include <string>

namespace loci::cuda_rules {

// Pointers to the driver's functions, each by the name that cuda.h gives it.
struct DriverTable {
#define LOCI_DRIVER_FUNCTION(name) decltype(&::name) name = nullptr;
#include "driver_functions.inc"
#undef LOCI_DRIVER_FUNCTION
};

// How opening it went. The library stays open until the process ends.
struct Driver {
  DriverTable table;
  void* library = nullptr;  // what dlopen() gave
  std::string path;         // LOCI_CUDA_DRIVER, else libcuda.so.1
  std::string unavailable;  // why there is none; empty where there is one
  std::string missing;      // the functions that it lacks, with spaces between
};

// Opened by the first call; no function of the driver is called.
const Driver& driver();

// The functions. Those that are missing are null.
inline const DriverTable& cu() { return driver().table; }

}  // namespace loci::cuda_rules
