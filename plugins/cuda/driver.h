// The CUDA driver, opened at run time: the plugin links nothing of CUDA, and loads where there is
// none.
#pragma once

#include <cuda.h>
#include <cudaProfiler.h>

#include <string>

namespace loci::cuda {

// Pointers to the driver's functions. cuda.h renames many of them to a version ("cuMemAlloc_v2"),
// and what is looked up is that name.
struct DriverFunctions {
// A declaration takes no parentheses.
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define LOCI_CUDA_FUNCTION(name) decltype(&::name) name = nullptr;
#include "driver_functions.inc"
#undef LOCI_CUDA_FUNCTION
};

// The driver of the process: opened and initialised once, and never closed, because its threads
// may run its code until the process ends. Any thread may call.
class Driver {
 public:
  // `path` is that of another library than libcuda.so.1; empty for that.
  explicit Driver(const std::string& path);

  // Why there is none, in one line that begins "no CUDA driver"; empty where there is one.
  [[nodiscard]] const std::string& unavailable() const { return unavailable_; }
  [[nodiscard]] const DriverFunctions& functions() const { return functions_; }
  [[nodiscard]] const DriverFunctions* operator->() const { return &functions_; }
  // Returns what dlopen() gave: for capturers, which look up functions of their own in it.
  [[nodiscard]] void* library() const { return library_; }
  // "13.0", of CUDA that it is made for.
  [[nodiscard]] const std::string& version() const { return version_; }

  // Throws Error(LOCI_CODE_UNAVAILABLE) in the child of a fork() that came after cuInit(): there
  // the driver does not work any more.
  void require_same_process() const;

 private:
  void open(const std::string& path);
  void initialise(const std::string& path, const std::string& file);
  void refuse_old(const std::string& path, const std::string& why);
  void refuse(const std::string& function, CUresult status);

  void* library_ = nullptr;
  DriverFunctions functions_;
  std::string version_;
  std::string unavailable_;
};

}  // namespace loci::cuda
