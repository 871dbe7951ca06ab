// The devices of a plugin that are open.
#pragma once

#include <mutex>
#include <set>

namespace loci::cuda {

class Device;

// Thread-safe.
class OpenDevices {
 public:
  void add(Device& device) {
    const std::lock_guard lock(mutex_);
    devices_.insert(&device);
  }
  // Nothing visits it between `last` and the end.
  template <class Last>
  void remove(Device& device, Last&& last) {
    const std::lock_guard lock(mutex_);
    last();
    devices_.erase(&device);
  }
  // None is closed meanwhile.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const std::lock_guard lock(mutex_);
    for (Device* device : devices_) visit(*device);
  }

 private:
  mutable std::mutex mutex_;
  std::set<Device*> devices_;
};

}  // namespace loci::cuda
