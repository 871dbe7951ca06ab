// A stream: a worker thread, and what the race checker knows of it.
#pragma once

#include <loci/abi/device.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "plugins/sim/graph.h"
#include "plugins/sim/mark.h"
#include "plugins/sim/race_checker.h"
#include "plugins/sim/recording.h"
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

  // Records it, if the stream does that. Never blocks. `accesses` are the public addresses that the
  // work touches. Throws the race checker's error; then nothing was enqueued.
  void enqueue(std::unique_ptr<Work> work, const std::vector<Access>& accesses);
  // A point behind all that was enqueued.
  std::shared_ptr<Mark> mark();
  // Later work waits for it.
  void wait(const std::shared_ptr<Mark>& mark);
  // Waits for all work, whatever has become of the device.
  void drain();

  // Device graphs; see graph_driver.h. While the stream records, its other functions throw
  // Error(LOCI_CODE_INVALID_ARGUMENT), and the recording is invalid then; begin throws, too, and
  // leaves it as it was.
  void begin_recording();
  void annotate(std::string_view op, std::uint64_t item);
  void depend(const std::uint64_t* items, std::uint64_t count);
  [[nodiscard]] GraphNodes end_recording();
  void abort_recording();
  [[nodiscard]] DriverCapture recording_status();
  [[nodiscard]] bool is_recording() const { return is_recording_.load(std::memory_order_relaxed); }
  // One entry of the queue. Gives its end, behind which nothing of it runs any more.
  std::shared_ptr<Mark> launch_graph(std::shared_ptr<const GraphNodes> nodes,
                                     const DriverLaunch& launch);
  // "the device is waited for": throws if the calling thread records in the stream.
  void refuse_of_recorder(std::string_view what);
  // Throws if the stream records.
  void refuse_recorded(std::string_view what);

  // The functions of the ABI. They throw Error(LOCI_CODE_DEVICE_LOST) once the device is lost.
  bool query();
  void synchronize();
  void wait(Event& event);
  // Also on a lost device, and neither delayed nor kept waiting by a greater priority: it takes
  // nothing of the device.
  void launch_host(loci_host_fn function, void* context, std::uint64_t correlation);

 private:
  [[nodiscard]] VectorClock known() const;
  // With the lock.
  void require_plain(std::string_view what);
  [[nodiscard]] Recording& required_recording(const char* function);
  void host_saw(const VectorClock& what) const;
  // The nodes of a graph enter the race checker; with the lock.
  void enter_races(const GraphNodes& nodes);

  SimDevice& device_;
  RaceChecker* races_;
  std::size_t number_ = 0;            // with the race checker
  std::vector<std::size_t> lanes_{};  // likewise, of graphs that fork: those of lanes from 1 on
  std::mutex mutex_;                  // work enters the race checker and the queue in one order
  std::unique_ptr<Recording> recording_;
  std::atomic<bool> is_recording_{false};
  Worker worker_;
};

}  // namespace loci::sim
