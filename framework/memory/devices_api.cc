#include <loci/devices.hpp>
#include <set>
#include <string_view>

#include "framework/core/environment.h"
#include "framework/device/backend_tables.h"
#include "framework/device/capture_rules.h"
#include "framework/device/device_manager.h"
#include "framework/memory/allocator.h"
#include "framework/memory/host_source.h"
#include "framework/plugin/plugin_manager.h"

namespace loci {
inline namespace v0 {
namespace {

device::DeviceManager& manager() {
  core::check_environment();
  return device::DeviceManager::instance();
}

// A device that works in host memory shares it with all that runs on the host.
std::uint64_t free_memory(const device::Device& device) {
  const std::uint64_t stated = device.free_memory();
  if (stated != 0 || !device.uses_host_memory()) return stated;
  return memory::HostSource(0).free_bytes();
}

std::uint32_t count_operators(const std::string& type) {
  std::set<std::string_view> operators;
  for (const device::KernelLibrary* library :
       device::kernel_libraries(plugin::PluginManager::instance(), type)) {
    for (const loci_kernel_def* def : library->defs) {
      operators.emplace(def->op.data, def->op.size);
    }
  }
  return static_cast<std::uint32_t>(operators.size());
}

DeviceProperties describe(const device::Device& device) {
  const device::DeviceInfo& info = device.info();
  DeviceProperties properties;
  properties.place = device.place();
  properties.name = info.name;
  properties.arch = info.arch;
  properties.uuid = info.uuid;
  properties.driver = info.driver;
  properties.plugin = device.plugin().id();
  properties.total_memory = info.total_memory;
  properties.free_memory = free_memory(device);
  properties.compute_units = info.compute_units;
  properties.operators = count_operators(device.place().type());
  properties.is_accelerator = device.is_accelerator();
  properties.uses_host_memory = device.uses_host_memory();
  properties.is_queued = !device.is_inline();
  properties.least_priority = info.least_priority;
  properties.greatest_priority = info.greatest_priority;
  return properties;
}

}  // namespace

std::vector<Place> devices() { return manager().places(); }

int device_count(const std::string& type) { return static_cast<int>(manager().count(type)); }

bool is_available(const Place& place) {
  return place.index() < device_count(place.type()) && manager().loss(place).empty();
}

DeviceProperties device_properties(const Place& place) { return describe(manager().get(place)); }

std::string device_loss(const Place& place) { return manager().loss(place); }

void reopen_device(const Place& place) { manager().reopen(place); }

MemoryUse memory_use(const Place& place) {
  core::check_environment();
  const memory::Stats stats = memory::allocator_of(place).stats();
  return {stats.in_use, stats.cached, stats.peak_in_use};
}

void empty_cache(const Place& place) {
  core::check_environment();
  if (!place.is_host()) {
    const device::Device& device = manager().get(manager().resolve(place, Place()));
    device::check_unsafe(device, "empty_cache() gives memory back");
  }
  memory::allocator_of(place).empty_cache();
}

void empty_cache() {
  std::vector<device::Device*> open = manager().open_devices();
  for (const device::Device* device : open) {
    device::check_unsafe(*device, "empty_cache() gives memory back");
  }
  memory::host_allocator().empty_cache();
  for (device::Device* device : open) memory::device_allocator(*device).empty_cache();
}

}  // namespace v0
}  // namespace loci
