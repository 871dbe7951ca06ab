#include "module_cache.h"

#include "device.h"

namespace loci::cuda {

CUfunction ModuleCache::function(const KernelImage& image, const char* name) {
  const CurrentContext current(device_);
  const RelaxedCapture relaxed(device_.driver());
  CUfunction function = nullptr;
  const std::string action = "finding " + std::string(name) + " in " + std::string(image.name);
  const std::lock_guard lock(mutex_);
  device_.check(device_.driver()->cuModuleGetFunction(&function, module(image), name),
                action.c_str());
  return function;
}

CUmodule ModuleCache::module(const KernelImage& image) {
  const auto found = modules_.find(image.data);
  if (found != modules_.end()) return found->second;
  CUmodule loaded = nullptr;
  const std::string action = "loading the kernels of " + std::string(image.name);
  device_.check(device_.driver()->cuModuleLoadData(&loaded, image.data), action.c_str());
  modules_.emplace(image.data, loaded);
  return loaded;
}

void ModuleCache::unload() {
  for (const auto& [image, module] : modules_) device_.driver()->cuModuleUnload(module);
  modules_.clear();
}

}  // namespace loci::cuda
