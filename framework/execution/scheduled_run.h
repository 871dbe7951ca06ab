// The streams and events of a frame whose plan has a schedule.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "framework/device/stream.h"
#include "framework/execution/schedule.h"

namespace loci::execution {

// Used by one run at a time. All functions throw Error.
class ScheduledRun {
 public:
  // The schedule outlives it.
  explicit ScheduledRun(const Schedule& schedule);

  // Where the instruction is launched; null is the host.
  [[nodiscard]] loci_stream* stream(std::size_t instruction) const {
    const std::int32_t stream = schedule_.steps[instruction].stream;
    return stream < 0 ? nullptr : streams_[static_cast<std::size_t>(stream)];
  }

  // Streams come behind what their device's default one has.
  void begin();
  // Around the launch of an instruction, in the order of the schedule.
  void before(std::size_t instruction) {
    if (steps_[instruction].waits) wait(instruction);
  }
  void after(std::size_t instruction) {
    const Step& step = steps_[instruction];
    if (step.ended != nullptr) step.ended->record(step.stream);
  }
  // Default streams come behind the others.
  void end();
  // Ends a run that failed: waits for what was issued, and reports nothing.
  void abandon() noexcept;

 private:
  struct Step {
    bool waits = false;
    loci_stream* stream = nullptr;
    device::Event* ended = nullptr;  // null if nothing waits for it
  };

  void wait(std::size_t instruction);

  const Schedule& schedule_;
  std::vector<loci_stream*> streams_;
  std::vector<Step> steps_;                                  // by instruction
  std::vector<std::unique_ptr<device::Event>> events_;       // of instructions
  std::vector<std::unique_ptr<device::Event>> stream_ends_;  // by stream
  std::map<device::Device*, device::Event> begins_;          // of default streams
};

}  // namespace loci::execution
