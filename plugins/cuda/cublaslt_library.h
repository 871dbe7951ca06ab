// cuBLASLt, opened at run time when a product first asks for it: the plugin links nothing of it,
// and has products of its own where it is not.
#pragma once

#include <cublasLt.h>

#include <string>

#include "driver.h"

namespace loci::cuda {

struct CublasLtFunctions {
// A declaration takes no parentheses.
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define LOCI_CUBLASLT_FUNCTION(name) decltype(&::name) name = nullptr;
#include "cublaslt_functions.inc"
#undef LOCI_CUBLASLT_FUNCTION
};

// The library of the process: opened once, and never closed, as the driver. It finds the driver by
// itself, and works in the context that is current.
class CublasLtLibrary {
 public:
  // `setting` is the path of another library than that which belongs to the driver's version, "0"
  // for none, and empty for that.
  CublasLtLibrary(const std::string& setting, const Driver& driver, bool is_emulated);

  // Why there is none, in one line; empty where there is one.
  [[nodiscard]] const std::string& unavailable() const { return unavailable_; }
  [[nodiscard]] const CublasLtFunctions* operator->() const { return &functions_; }
  // "CUBLAS_STATUS_NOT_SUPPORTED".
  [[nodiscard]] std::string status_text(cublasStatus_t status) const;

 private:
  void open_installed(const std::string& driver_version);
  bool open(const std::string& file);

  CublasLtFunctions functions_;
  std::string unavailable_;
};

}  // namespace loci::cuda
