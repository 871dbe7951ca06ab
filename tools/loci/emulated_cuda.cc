#include "tools/loci/emulated_cuda.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <loci/devices.hpp>
#include <loci/version.hpp>
#include <string_view>

#include "tools/loci/failure.h"

namespace loci::runner {
namespace {

namespace fs = std::filesystem;

// It lies beside the library, in the build tree and where it is installed.
fs::path double_path(const char* name) {
  Dl_info library{};
  // The text lies in it.
  if (::dladdr(version().data(), &library) == 0 || library.dli_fname == nullptr) return {};
  std::error_code ignored;
  const fs::path file = fs::canonical(library.dli_fname, ignored);
  return file.parent_path() / "loci" / "cuda_double" / name;
}

// Only where it is not to be used at all does a setting of the user's stay: any other names a
// library that does not work with the driver's double.
void use_emulated_library(const char* setting, const char* name) {
  const char* chosen = std::getenv(setting);
  if (chosen != nullptr && std::string_view(chosen) == "0") return;
  const fs::path path = double_path(name);
  std::error_code ignored;
  // It is not made where the toolkit has not what it takes.
  const bool is_there = fs::exists(path, ignored);
  ::setenv(setting, is_there ? path.c_str() : "0", /*replace=*/1);
}

}  // namespace

void use_emulated_cuda() {
  const fs::path path = double_path("libcuda.so.1");
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    throw Failure(ExitCode::kNotAvailable,
                  fmt::format("[emulated CUDA] there is no '{}'", path.string()),
                  "Build Loci where a CUDA toolkit of 13.0 or newer is found: its double of the "
                  "CUDA driver is made then.");
  }
  ::setenv("LOCI_CUDA_DRIVER", path.c_str(), /*replace=*/1);
  use_emulated_library("LOCI_CUDA_CUBLASLT", "libcublasLt.so.13");
  use_emulated_library("LOCI_CUDA_CUDNN", "libcudnn.so.9");
  use_emulated_library("LOCI_CUDA_CUPTI", "libcupti.so.13");
}

// The double's devices say so in their name.
bool is_emulated(const Place& place) {
  return device_properties(place).name.find("(emulated)") != std::string::npos;
}

std::string emulation_mark(const Place& place) { return is_emulated(place) ? " (emulated)" : ""; }

std::string emulation_note(const Place& place) {
  if (!is_emulated(place)) return {};
  return fmt::format(
      "{} is emulated on the processor: these times say nothing of a graphics processor\n",
      place.to_string());
}

}  // namespace loci::runner
