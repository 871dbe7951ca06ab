// All queues of a context.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "framework/core/context.h"
#include "framework/eager/queue.h"

namespace loci::eager {

enum class Direction : std::uint8_t { kToDevice, kFromDevice };

// Thread-safe. Tensors refer to queues as long as they live.
class Queues {
 public:
  static constexpr auto kContextSlot = core::ContextSlot::kQueues;
  // Those of the current context.
  static Queues& instance() { return core::in_context<Queues>(); }
  Queues();

  Queue& default_queue(device::Device& device);
  // Where copies between the device and others go, beside its kernels.
  Queue& copy_queue(device::Device& device, Direction direction);
  // One of its own with the nearest priority that the device has; it may have served before.
  std::shared_ptr<Queue> lease(device::Device& device, std::int32_t priority = 0);
  // Null for every device.
  void synchronize(const device::Device* device);
  // Waits for all work, whatever becomes of it, and ends the threads: nothing more may come.
  void finish() noexcept;

 private:
  struct OfDevice {
    Queue* standard = nullptr;
    Queue* to_device = nullptr;
    Queue* from_device = nullptr;
    std::map<std::int32_t, std::vector<Queue*>> free;  // were leased, by priority
  };

  Queue& make(device::Device& device, bool is_default, Queue::Issue issue,
              std::int32_t priority = 0);
  std::vector<Queue*> all(const device::Device* device);
  void give_back(Queue* queue);
  std::string stop(core::EndClock::time_point deadline);
  // Each of these functions works for the queues of all contexts.
  static void watch_process();
  static void watch_forks();
  static std::string stop_all(core::EndClock::time_point deadline);
  static void prepare_fork();
  static void resume_parent();
  static void resume_child();

  std::mutex mutex_;
  std::map<const device::Device*, OfDevice> devices_;
  std::vector<std::unique_ptr<Queue>> queues_;
};

}  // namespace loci::eager
