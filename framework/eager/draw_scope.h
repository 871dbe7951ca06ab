// The random numbers that the functions of control flow draw.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "framework/device/device.h"
#include "framework/eager/thread_state.h"
#include "framework/eager/work_recorder.h"

namespace loci::eager {

// While it lives, random ops of the thread draw as operators in a block of a program do
// (program/block_builder.h): from states of its own, with offsets that count from 0 in each
// iteration. It takes one number itself of what is drawn around it, whatever is drawn within.
class DrawScope {
 public:
  DrawScope();
  ~DrawScope();
  DrawScope(const DrawScope&) = delete;
  DrawScope& operator=(const DrawScope&) = delete;

  // Numbers that are drawn from now on are of that iteration.
  void enter(std::int64_t iteration);
  // The state in the memory of the device; of the graph, if what is drawn there is captured.
  Tensor state_at(device::Device& device, const std::shared_ptr<WorkRecorder>& recorder,
                  const void* site);
  std::int64_t next_offset() { return take(1); }
  // The first one of so many.
  std::int64_t take(std::int64_t count) { return std::exchange(offset_, offset_ + count); }

 private:
  struct State {
    device::Device* device;
    const WorkRecorder* recorder;
    Tensor tensor;
  };

  ThreadState& thread_;
  DrawScope* around_;
  std::int64_t number_;  // that it took
  std::int64_t iteration_ = 0;
  std::int64_t offset_ = 0;
  std::vector<State> states_;
};

}  // namespace loci::eager
