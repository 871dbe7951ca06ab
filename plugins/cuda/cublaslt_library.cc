#include "cublaslt_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

namespace loci::cuda {
namespace {

constexpr int kNewestLibrary = 13;
constexpr int kOldestLibrary = 12;

// Empty, or the first function that is not there.
std::string find_functions(void* library, CublasLtFunctions& functions) {
#define LOCI_CUBLASLT_FUNCTION(name)                                                  \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, #name)); \
  if (functions.name == nullptr) return #name;
#include "cublaslt_functions.inc"
#undef LOCI_CUBLASLT_FUNCTION
  return {};
}

}  // namespace

CublasLtLibrary::CublasLtLibrary(const std::string& setting, const Driver& driver,
                                 bool is_emulated) {
  if (setting == "0") {
    unavailable_ = "LOCI_CUDA_CUBLASLT=0 turns cuBLASLt off";
  } else if (!setting.empty()) {
    if (!open(setting)) unavailable_ += "; mend LOCI_CUDA_CUBLASLT";
  } else if (is_emulated) {
    // The vendor's would find another driver than the plugin's, and crash on its streams.
    unavailable_ =
        "no cuBLASLt: the device is emulated, and LOCI_CUDA_CUBLASLT names no double of the "
        "library";
  } else {
    open_installed(driver.version());
  }
}

// One that is newer than the driver does not work with it.
void CublasLtLibrary::open_installed(const std::string& driver_version) {
  const int major = std::min(std::atoi(driver_version.c_str()), kNewestLibrary);
  std::string first_cause;
  for (int version = major; version >= kOldestLibrary; --version) {
    if (open("libcublasLt.so." + std::to_string(version))) return;
    if (first_cause.empty()) first_cause = unavailable_;
  }
  unavailable_ = first_cause + "; install the package libcublas-" + std::to_string(major) +
                 "-* of the CUDA toolkit, or name the library by LOCI_CUDA_CUBLASLT";
}

bool CublasLtLibrary::open(const std::string& file) {
  unavailable_.clear();
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* cause = ::dlerror();
    unavailable_ = "no cuBLASLt (" + std::string(cause == nullptr ? file.c_str() : cause) + ")";
    return false;
  }
  const std::string missing = find_functions(library, functions_);
  if (missing.empty()) return true;
  unavailable_ = "no cuBLASLt of 12 or newer (" + file + " has no " + missing + ")";
  return false;
}

std::string CublasLtLibrary::status_text(cublasStatus_t status) const {
  const char* name = functions_.cublasLtGetStatusName(status);
  return name == nullptr ? "cuBLAS status " + std::to_string(static_cast<int>(status)) : name;
}

}  // namespace loci::cuda
