// The memory that a step takes which runs plainly, before it is captured.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "framework/device/device.h"
#include "framework/eager/queue.h"
#include "framework/eager/task_watcher.h"

namespace loci::capture {

// Counts the tensors that ops make at the device, with the scratch of the op that runs: a graph of
// the step takes as much at least, since it makes the same tensors and lets go of them at the same
// ops. What runs of programs, copies and other captures take comes on top. One thread uses it,
// whose watcher it is meanwhile. An op that would need more than was needed before waits for those
// before it in the stream in which the step begins, so that their tasks have no tensors any more
// which the step has let go of.
class StepMemory final : public eager::TaskWatcher {
 public:
  // With the stream that is the thread's current one at that device.
  explicit StepMemory(device::Device& device);

  // At one time, so far.
  [[nodiscard]] std::uint64_t peak_bytes() const { return peak_bytes_; }

  void note_task(const eager::Task& task, const eager::Queue& queue) override;
  [[nodiscard]] bool gives_way() const override { return true; }

 private:
  struct Made {
    std::weak_ptr<tensor::Storage> storage;
    std::uint64_t bytes;
  };

  void note_outputs(const eager::Task& task);
  void remove_ended();

  device::Device& device_;
  eager::Queue& queue_;
  std::vector<Made> made_;  // and not ended, as far as is known
  std::uint64_t bytes_ = 0;
  std::uint64_t peak_bytes_ = 0;
};

}  // namespace loci::capture
