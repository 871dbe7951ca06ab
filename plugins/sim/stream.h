// A stream: a worker thread, and what the race checker knows of it.
#pragma once

#include <loci/abi/device.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "plugins/sim/mark.h"
#include "plugins/sim/race_checker.h"
#include "plugins/sim/worker.h"

namespace loci::sim {

class Event;
class SimDevice;

// Any thread may call; the order of calls is the order of the work. The device outlives it.
class Stream {
 public:
  explicit Stream(SimDevice& device, std::int32_t priority = 0);
  // Ends when its work has.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] SimDevice& device() const { return device_; }

  // Never blocks. `accesses` are the public addresses that the work touches. Throws the race
  // checker's error; then nothing was enqueued.
  void enqueue(std::unique_ptr<Work> work, const std::vector<Access>& accesses);
  // A point behind all that was enqueued.
  std::shared_ptr<Mark> mark();
  // Later work waits for it.
  void wait(const std::shared_ptr<Mark>& mark);
  // Waits for all work, whatever has become of the device.
  void drain();

  // The functions of the ABI. They throw Error(LOCI_CODE_DEVICE_LOST) once the device is lost.
  bool query();
  void synchronize();
  void wait(Event& event);
  // Also on a lost device, and neither delayed nor kept waiting by a greater priority: it takes
  // nothing of the device.
  void launch_host(loci_host_fn function, void* context, std::uint64_t correlation);

 private:
  [[nodiscard]] VectorClock known() const;
  void host_saw(const VectorClock& what) const;

  SimDevice& device_;
  RaceChecker* races_;
  std::size_t number_ = 0;  // with the race checker
  std::mutex mutex_;        // work enters the race checker and the queue in one order
  Worker worker_;
};

}  // namespace loci::sim
