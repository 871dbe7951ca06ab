#include "driver_table.h"

#include <dlfcn.h>

#include <cstdlib>

namespace loci::cuda_rules {
namespace {

template <typename Function>
void resolve(Driver& driver, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(driver.library, name));
  if (function == nullptr) driver.missing += std::string(driver.missing.empty() ? "" : " ") + name;
}

// The name behind a macro of cuda.h: cuMemAlloc_v2 for cuMemAlloc.
#define LOCI_EXPANDED_NAME(name) #name

void resolve_all(Driver& driver) {
#define LOCI_DRIVER_FUNCTION(name) resolve(driver, LOCI_EXPANDED_NAME(name), driver.table.name);
#include "driver_functions.inc"
#undef LOCI_DRIVER_FUNCTION
}

Driver open_driver() {
  Driver driver;
  const char* chosen = std::getenv("LOCI_CUDA_DRIVER");
  driver.path = chosen != nullptr && *chosen != '\0' ? chosen : "libcuda.so.1";
  driver.library = dlopen(driver.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (driver.library == nullptr) {
    driver.unavailable = std::string("no CUDA driver: ") + dlerror();
    return driver;
  }
  resolve_all(driver);
  return driver;
}

}  // namespace

const Driver& driver() {
  static const Driver opened = open_driver();
  return opened;
}

}  // namespace loci::cuda_rules
