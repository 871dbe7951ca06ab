#include "cupti_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

namespace loci::cuda {
namespace {

constexpr int kNewestCupti = 13;
constexpr int kOldestCupti = 12;
// Where toolkits have it, which a loader does not look into.
constexpr const char* kToolkitFolder = "/usr/local/cuda/extras/CUPTI/lib64/";

// Empty, or the first function that is not there.
std::string find_functions(void* library, CuptiFunctions& functions) {
#define LOCI_CUPTI_FUNCTION(name)                                                     \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, #name)); \
  if (functions.name == nullptr) return #name;
#include "cupti_functions.inc"
#undef LOCI_CUPTI_FUNCTION
  functions.enable_driver_call = reinterpret_cast<decltype(functions.enable_driver_call)>(
      dlsym(library, "cuptiActivityEnableDriverApi"));
  return {};
}

}  // namespace

CuptiLibrary::CuptiLibrary(const std::string& setting, const Driver& driver, bool is_emulated) {
  if (setting == "0") {
    unavailable_ = "LOCI_CUDA_CUPTI=0 turns CUPTI off";
  } else if (!setting.empty()) {
    if (!open(setting)) unavailable_ += "; mend LOCI_CUDA_CUPTI";
  } else if (is_emulated) {
    // The vendor's would look at another driver than the plugin's.
    unavailable_ =
        "no CUPTI: the device is emulated, and LOCI_CUDA_CUPTI names no double of the library";
  } else {
    open_installed(driver.version());
  }
}

// One that is newer than the driver does not work with it.
void CuptiLibrary::open_installed(const std::string& driver_version) {
  const int major = std::min(std::atoi(driver_version.c_str()), kNewestCupti);
  std::string first_cause;
  for (int version = major; version >= kOldestCupti; --version) {
    const std::string file = "libcupti.so." + std::to_string(version);
    if (open(file)) return;
    if (first_cause.empty()) first_cause = unavailable_;
    if (open(kToolkitFolder + file)) return;
  }
  unavailable_ = first_cause + "; install the package cuda-cupti-" + std::to_string(major) +
                 "-* of the CUDA toolkit, or name the library by LOCI_CUDA_CUPTI";
}

bool CuptiLibrary::open(const std::string& file) {
  unavailable_.clear();
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* cause = ::dlerror();
    unavailable_ = "no CUPTI (" + std::string(cause == nullptr ? file.c_str() : cause) + ")";
    return false;
  }
  const std::string missing = find_functions(library, functions_);
  if (missing.empty()) return true;
  unavailable_ = "no CUPTI that is new enough (" + file + " has no " + missing + ")";
  return false;
}

std::string CuptiLibrary::status_text(CUptiResult status) const {
  const char* name = nullptr;
  const bool is_known =
      functions_.cuptiGetResultString(status, &name) == CUPTI_SUCCESS && name != nullptr;
  return is_known ? name : "CUPTI status " + std::to_string(static_cast<int>(status));
}

}  // namespace loci::cuda
