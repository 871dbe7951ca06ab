// The kernels' code, loaded into a device's context when first used.
#pragma once

#include <map>
#include <mutex>
#include <string_view>

#include "driver.h"

namespace loci::cuda {

class Device;

// One file of kernels as nvcc made it: PTX, or a fat binary. STATIC.
struct KernelImage {
  std::string_view name;  // "unary"
  const void* data;
};

// The modules of one context: one for each image, a few, which stay. Any thread may call.
class ModuleCache {
 public:
  explicit ModuleCache(Device& device) : device_(device) {}

  // Throws Error that names the image, and the function if that has none.
  CUfunction function(const KernelImage& image, const char* name);
  // Unloads them all; the device's context is current.
  void unload();

 private:
  CUmodule module(const KernelImage& image);

  Device& device_;
  std::mutex mutex_;
  std::map<const void*, CUmodule> modules_;  // by image
};

}  // namespace loci::cuda
