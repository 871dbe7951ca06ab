#include "cudnn_library.h"

#include <dlfcn.h>

#include <cstdlib>

namespace loci::cuda {
namespace {

constexpr int kCudnnMajor = 9;
constexpr std::size_t kCudnnVersionUnit = 10000;
constexpr const char* kCudnnSoname = "libcudnn.so.9";

// A version from cudnnGetVersion(): 92600 is 9.26.0, and 8907, as it was counted before, 8.9.7.
struct CudnnVersion {
  explicit CudnnVersion(std::size_t number) {
    const bool is_new = number >= kCudnnVersionUnit * kCudnnMajor;
    const std::size_t unit = is_new ? kCudnnVersionUnit : 1000;
    major = static_cast<int>(number / unit);
    text = std::to_string(major) + "." + std::to_string(number % unit / 100) + "." +
           std::to_string(number % 100);
  }
  int major;
  std::string text;
};

template <class Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
}

// Empty, or the first function that is not there.
std::string find_functions(void* library, cudnn::Functions& functions) {
#define LOCI_CUDNN_FUNCTION(result, name, parameters) \
  find(library, #name, functions.name);               \
  if (functions.name == nullptr) return #name;
#include "cudnn_functions.inc"
#undef LOCI_CUDNN_FUNCTION
  return {};
}

std::string package_for(int toolkit) {
  return "the package libcudnn9-cuda-" + std::to_string(toolkit) + " (nvidia-cudnn-cu" +
         std::to_string(toolkit) + " of PyPI)";
}

}  // namespace

CudnnLibrary::CudnnLibrary(const std::string& setting, const Driver& driver, bool is_emulated) {
  if (setting == "0") {
    unavailable_ = "LOCI_CUDA_CUDNN=0 turns cuDNN off";
  } else if (setting.empty() && is_emulated) {
    // The vendor's would find another driver than the plugin's, and crash on its streams.
    unavailable_ =
        "no cuDNN: the device is emulated, and LOCI_CUDA_CUDNN names no double of the library";
  } else {
    open(setting.empty() ? kCudnnSoname : setting, driver.version());
    if (!unavailable_.empty() && !setting.empty()) unavailable_ += "; mend LOCI_CUDA_CUDNN";
  }
}

void CudnnLibrary::open(const std::string& file, const std::string& driver_version) {
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* cause = ::dlerror();
    unavailable_ = "no cuDNN (" + std::string(cause == nullptr ? file.c_str() : cause) +
                   "); install " + package_for(std::atoi(driver_version.c_str())) +
                   ", or name the library by LOCI_CUDA_CUDNN";
    return;
  }
  const std::string missing = find_functions(library, functions_);
  // An older one lacks functions too; that it is older says more.
  if (functions_.cudnnGetVersion != nullptr) check_version(file);
  if (unavailable_.empty() && !missing.empty()) {
    refuse(file + " has no " + missing, "install cuDNN 9");
  }
  if (unavailable_.empty()) check_toolkit(file, driver_version);
  if (unavailable_.empty()) check_parts(file);
}

void CudnnLibrary::check_version(const std::string& file) {
  const CudnnVersion version(functions_.cudnnGetVersion());
  if (version.major == kCudnnMajor) return;
  refuse(file + " is " + version.text + ", and the plugin takes 9", "install cuDNN 9");
}

// One that is newer than the driver does not work with it.
void CudnnLibrary::check_toolkit(const std::string& file, const std::string& driver_version) {
  const std::size_t number = functions_.cudnnGetCudartVersion();
  const auto toolkit = static_cast<int>(number / 1000);
  const int driver = std::atoi(driver_version.c_str());
  if (toolkit <= driver) return;
  refuse(file + " is " + CudnnVersion(functions_.cudnnGetVersion()).text + " for CUDA " +
             std::to_string(toolkit) + "." + std::to_string(number % 1000 / 10) +
             ", and the driver has " + driver_version,
         "update the driver, or install " + package_for(driver));
}

// It is several libraries, which the loader may have found in different places.
void CudnnLibrary::check_parts(const std::string& file) {
  const auto check = [&](const char* name, cudnn::Status status) {
    if (status == 0 || !unavailable_.empty()) return;
    refuse(file + " is " + CudnnVersion(functions_.cudnnGetVersion()).text +
               ", and the libraries beside it are not (" + name + ": " + status_text(status) + ")",
           "leave one cuDNN where the loader looks, in LD_LIBRARY_PATH and in the system");
  };
  check("cudnnGraphVersionCheck", functions_.cudnnGraphVersionCheck());
  check("cudnnOpsVersionCheck", functions_.cudnnOpsVersionCheck());
  check("cudnnCnnVersionCheck", functions_.cudnnCnnVersionCheck());
}

void CudnnLibrary::refuse(const std::string& why, const std::string& remedy) {
  is_mismatched_ = true;
  unavailable_ = "mismatched cuDNN: " + why + "; " + remedy;
}

std::string CudnnLibrary::status_text(cudnn::Status status) const {
  const char* name = functions_.cudnnGetErrorString(status);
  return name == nullptr ? "cuDNN status " + std::to_string(status) : name;
}

}  // namespace loci::cuda
