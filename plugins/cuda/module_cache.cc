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

CUfunction ModuleCache::load(const std::string& ptx, const char* name) {
  const CurrentContext current(device_);
  const RelaxedCapture relaxed(device_.driver());
  CUmodule loaded = nullptr;
  CUfunction function = nullptr;
  const std::string action = "loading the kernel " + std::string(name);
  device_.check(device_.driver()->cuModuleLoadData(&loaded, ptx.c_str()), action.c_str());
  {
    const std::lock_guard lock(mutex_);
    others_.push_back(loaded);
  }
  device_.check(device_.driver()->cuModuleGetFunction(&function, loaded, name), action.c_str());
  return function;
}

void ModuleCache::unload() {
  for (const CUmodule module : others_) device_.driver()->cuModuleUnload(module);
  others_.clear();
  for (const auto& [image, module] : modules_) device_.driver()->cuModuleUnload(module);
  modules_.clear();
}

}  // namespace loci::cuda
