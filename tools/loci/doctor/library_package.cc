#include "tools/loci/doctor/library_package.h"

#include <fmt/format.h>

#include <array>

namespace loci::runner {
namespace {

// {} stands for the version behind ".so.", up to its first dot.
struct Package {
  const char* library;
  const char* name;
};

// Debian 12 and Ubuntu 24.04. What NVIDIA does not let a distribution carry is in its own
// repository, under names of its own.
constexpr std::array kPackages{
    Package{"libOpenCL", "ocl-icd-libopencl{}"},
    Package{"libamdhip64", "libamdhip64-{}"},
    Package{"libcublas", "libcublas{}"},
    Package{"libcublasLt", "libcublaslt{}"},
    Package{"libcuda", "libcuda{}"},
    Package{"libcudart", "libcudart{}"},
    Package{"libcudnn", "libcudnn{}"},
    Package{"libcufft", "libcufft{}"},
    Package{"libcupti", "libcupti{}"},
    Package{"libcurand", "libcurand{}"},
    Package{"libcusolver", "libcusolver{}"},
    Package{"libcusparse", "libcusparse{}"},
    Package{"libdnnl", "libdnnl{}"},
    Package{"libgcc_s", "libgcc-s{}"},
    Package{"libgomp", "libgomp{}"},
    Package{"libhsa-runtime64", "libhsa-runtime64-{}"},
    Package{"libhwloc", "libhwloc{}"},
    Package{"libnccl", "libnccl{}"},
    Package{"libnuma", "libnuma{}"},
    Package{"libnvrtc", "libnvrtc{}"},
    Package{"libomp", "libomp{}"},
    Package{"libopenblas", "libopenblas{}"},
    Package{"libpocl", "libpocl{}"},
    Package{"libstdc++", "libstdc++{}"},
    Package{"libtbb", "libtbb{}"},
    Package{"libvulkan", "libvulkan{}"},
    Package{"libze_loader", "libze{}"},
};

}  // namespace

std::string package_of(const std::string& soname) {
  constexpr const char* kMark = ".so.";
  const std::size_t mark = soname.find(kMark);
  if (mark == std::string::npos) return {};
  const std::string library = soname.substr(0, mark);
  const std::string all = soname.substr(mark + std::string(kMark).size());
  const std::string version = all.substr(0, all.find('.'));
  for (const Package& package : kPackages) {
    if (library == package.library && !version.empty()) {
      return fmt::format(fmt::runtime(package.name), version);
    }
  }
  return {};
}

std::string package_hint(const std::string& soname) {
  const std::string package = package_of(soname);
  if (!package.empty()) return fmt::format("apt install {} for {}", package, soname);
  return fmt::format("'apt-file search {}' tells what package has it", soname);
}

}  // namespace loci::runner
