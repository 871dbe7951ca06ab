// The kernels' code, loaded into a device's context when first used.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "driver.h"

namespace loci::cuda {

class Device;

// One file of kernels as nvcc made it: PTX, or a fat binary. STATIC.
struct KernelImage {
  std::string_view name;  // "unary"
  const void* data;
};

// The modules of one context, which stay: one for each image, a few, and those of other texts. Any
// thread may call.
class ModuleCache {
 public:
  explicit ModuleCache(Device& device) : device_(device) {}

  // Throws Error that names the image, and the function if that has none.
  CUfunction function(const KernelImage& image, const char* name);
  // Loads a text of PTX, which becomes a module of its own at each call. Throws Error.
  CUfunction load(const std::string& ptx, const char* name);
  // Unloads them all; the device's context is current.
  void unload();

 private:
  CUmodule module(const KernelImage& image);

  Device& device_;
  std::mutex mutex_;
  std::map<const void*, CUmodule> modules_;  // by image
  std::vector<CUmodule> others_;
};

}  // namespace loci::cuda
