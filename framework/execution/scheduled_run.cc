#include "framework/execution/scheduled_run.h"

#include <loci/error.hpp>

#include "framework/core/log.h"
#include "framework/profiler/scope.h"
#include "framework/transfer/wait_label.h"

namespace loci::execution {

ScheduledRun::ScheduledRun(const Schedule& schedule)
    : schedule_(schedule), steps_(schedule.steps.size()) {
  for (const ScheduledStream& stream : schedule.streams) {
    streams_.push_back(stream.device->stream(stream.index));
    stream_ends_.push_back(std::make_unique<device::Event>(*stream.device));
  }
  for (const StreamBesides& begin : schedule.begins) {
    begins_.try_emplace(begin.device, *begin.device);
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const ScheduledStep& planned = schedule.steps[i];
    steps_[i].waits = !planned.stream_waits.empty() || !planned.host_waits.empty();
    steps_[i].stream = stream(i);
    if (!planned.signals) continue;
    device::Device& device = *schedule.streams[static_cast<std::size_t>(planned.stream)].device;
    events_.push_back(std::make_unique<device::Event>(device));
    steps_[i].ended = events_.back().get();
  }
}

void ScheduledRun::begin() {
  for (auto& [device, event] : begins_) event.record(device->default_stream());
  for (const StreamBesides& begin : schedule_.begins) {
    begins_.at(begin.device).wait_on(streams_[begin.stream]);
  }
}

void ScheduledRun::wait(std::size_t instruction) {
  const ScheduledStep& planned = schedule_.steps[instruction];
  for (const std::uint32_t on : planned.host_waits) {
    const auto stream = static_cast<std::size_t>(schedule_.steps[on].stream);
    device::Device& device = *schedule_.streams[stream].device;
    const profiler::Scope scope(transfer::wait_label(device));
    steps_[on].ended->synchronize();
    device.check_async_error();
  }
  for (const std::uint32_t on : planned.stream_waits) {
    steps_[on].ended->wait_on(steps_[instruction].stream);
  }
}

void ScheduledRun::end() {
  for (const StreamBesides& end : schedule_.ends) {
    device::Event& ended = *stream_ends_[end.stream];
    ended.record(streams_[end.stream]);
    ended.wait_on(end.device->default_stream());
  }
}

void ScheduledRun::abandon() noexcept {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    try {
      schedule_.streams[i].device->synchronize_stream(streams_[i]);
    } catch (const Error& error) {
      // The error that ended the run is the one to report.
      core::log(core::Module::kExecutor, core::Level::kDebug, "after a failed run: {}",
                error.what());
    }
  }
}

}  // namespace loci::execution
