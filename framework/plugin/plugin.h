// A plugin that was loaded and created.
#pragma once

#include <loci/abi/base.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace loci::plugin {

// Stays valid for the life of the process, also after a logical unload.
class Plugin {
 public:
  virtual ~Plugin() = default;
  [[nodiscard]] virtual const std::string& id() const = 0;
  [[nodiscard]] virtual const std::string& path() const = 0;
  [[nodiscard]] virtual loci_plugin* handle() const = 0;

  // Objects of the plugin that are alive: devices, kernels, prepared kernels, allocations. A
  // plugin with live objects is not unloaded.
  void retain() noexcept { live_objects_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept { live_objects_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t live_objects() const noexcept { return live_objects_.load(); }

  // One of its devices hangs and may be anywhere in the plugin's code: what it has made is not
  // destroyed any more.
  void abandon() noexcept { is_abandoned_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_abandoned() const noexcept {
    return is_abandoned_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> live_objects_{0};
  std::atomic<bool> is_abandoned_{false};
};

}  // namespace loci::plugin
