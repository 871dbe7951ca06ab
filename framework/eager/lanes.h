// All lanes of a context.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "framework/core/context.h"
#include "framework/eager/lane.h"

namespace loci::eager {

enum class Direction : std::uint8_t { kToDevice, kFromDevice };

// Thread-safe. Tensors refer to lanes as long as they live.
class Lanes {
 public:
  static constexpr auto kContextSlot = core::ContextSlot::kLanes;
  // Those of the current context.
  static Lanes& instance() { return core::in_context<Lanes>(); }
  Lanes();

  Lane& default_lane(device::Device& device);
  // Where copies between the device and others go, beside its kernels.
  Lane& copy_lane(device::Device& device, Direction direction);
  // One of its own with the nearest priority that the device has; it may have served before.
  std::shared_ptr<Lane> lease(device::Device& device, std::int32_t priority = 0);
  // Null for every device.
  void synchronize(const device::Device* device);
  // Waits for all work, whatever becomes of it, and ends the threads: nothing more may come.
  void finish() noexcept;

 private:
  struct OfDevice {
    Lane* standard = nullptr;
    Lane* to_device = nullptr;
    Lane* from_device = nullptr;
    std::map<std::int32_t, std::vector<Lane*>> free;  // were leased, by priority
  };

  Lane& make(device::Device& device, bool is_default, Lane::Issue issue, std::int32_t priority = 0);
  std::vector<Lane*> all(const device::Device* device);
  void give_back(Lane* lane);
  std::string stop(core::EndClock::time_point deadline);
  // Of all contexts.
  static void watch_process();
  static void watch_forks();
  static std::string stop_all(core::EndClock::time_point deadline);
  static void prepare_fork();
  static void resume_parent();
  static void resume_child();

  std::mutex mutex_;
  std::map<const device::Device*, OfDevice> devices_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace loci::eager
