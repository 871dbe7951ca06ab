// Work of a capture's thread that is not the graph's, so that replays would not do it again.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "framework/eager/queue.h"
#include "framework/eager/task.h"

namespace loci::capture {

// Ops may make constants at any place, each of the others: each step would make the same ones.
// Whatever else runs at another place than the graph's would be missing from replays, or read as it
// was at the capture. Another stream of the graph's own device is its user's wish.
class WorkBeside {
 public:
  explicit WorkBeside(const device::Device& device) : device_(device) {}

  // Why a step with this task would be another one in replays, as a sentence that goes on after the
  // task; empty if it would not. `queue` is none of the graph's.
  [[nodiscard]] std::string objection(const eager::Task& task, const eager::Queue& queue);

 private:
  [[nodiscard]] bool is_constant(const tensor::TensorImpl& tensor) const;
  [[nodiscard]] bool makes_constants(const eager::Task& task) const;
  void note_constants(const eager::Task& task);

  const device::Device& device_;
  // Another storage may lie at an address since.
  std::unordered_map<const tensor::Storage*, std::weak_ptr<tensor::Storage>> constants_;
};

}  // namespace loci::capture
