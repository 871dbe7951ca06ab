// CUPTI, opened at run time when a profile first asks for it: the plugin links nothing of it, and
// runs where it is not.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <string>

#include "driver.h"

namespace loci::cuda {

struct CuptiFunctions {
// A declaration takes no parentheses.
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define LOCI_CUPTI_FUNCTION(name) decltype(&::name) name = nullptr;
#include "cupti_functions.inc"
#undef LOCI_CUPTI_FUNCTION
  // cuptiActivityEnableDriverApi(), which CUDA 12.4 neither has nor declares; null without.
  CUptiResult (*enable_driver_call)(CUpti_CallbackId call, std::uint8_t enable) = nullptr;
};

// The library of the process: opened once, and never closed, because its threads may run until the
// process ends. Any thread may call.
class CuptiLibrary {
 public:
  // `setting` is the path of another library than that which belongs to the driver's version, "0"
  // for none, and empty for that.
  CuptiLibrary(const std::string& setting, const Driver& driver, bool is_emulated);

  // Why there is none, in one line; empty where there is one.
  [[nodiscard]] const std::string& unavailable() const { return unavailable_; }
  [[nodiscard]] const CuptiFunctions& functions() const { return functions_; }
  [[nodiscard]] const CuptiFunctions* operator->() const { return &functions_; }
  // "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES".
  [[nodiscard]] std::string status_text(CUptiResult status) const;

 private:
  void open_installed(const std::string& driver_version);
  bool open(const std::string& file);

  CuptiFunctions functions_;
  std::string unavailable_;
};

}  // namespace loci::cuda
