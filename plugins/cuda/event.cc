#include "event.h"

#include <utility>

#include "device.h"

namespace loci::cuda {

Event::Event(Device& device, std::uint32_t flags) : device_(device) {
  const CurrentContext current(device);
  const bool is_timed = (flags & LOCI_EVENT_TIMED) != 0;
  device.check(device.driver()->cuEventCreate(
                   &handle_, is_timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING),
               "creating an event");
}

Event::~Event() {
  const CurrentContext current(device_, CurrentContext::ToGiveBack{});
  device_.driver()->cuEventDestroy(handle_);
}

void Event::record(Stream* stream) {
  Device::require(stream);
  const CurrentContext current(device_);
  device_.faults().enter_event();
  // The driver would take it for a fork.
  stream->refuse_while_recording("no event can be recorded");
  const std::uint64_t enqueued = stream->recent()->enqueued();
  device_.check(device_.driver()->cuEventRecord(handle_, stream->handle()), "recording an event");
  comes_behind(*stream, enqueued);
}

void Event::comes_behind(const Stream& stream, std::uint64_t enqueued) {
  Position behind{stream.recent(), enqueued};
  const std::lock_guard lock(mutex_);
  position_ = std::move(behind);
}

Event::Position Event::position() {
  const std::lock_guard lock(mutex_);
  return position_;
}

bool Event::query() {
  const CurrentContext current(device_);
  const Position behind = position();
  const CUresult status = device_.driver()->cuEventQuery(handle_);
  if (status == CUDA_ERROR_NOT_READY) return false;
  device_.check(status, "querying an event");
  if (behind.recent != nullptr) behind.recent->prove(behind.enqueued);
  return true;
}

void Event::synchronize() {
  const CurrentContext current(device_);
  const Position behind = position();
  device_.check(device_.driver()->cuEventSynchronize(handle_), "waiting for an event");
  if (behind.recent != nullptr) behind.recent->prove(behind.enqueued);
}

std::uint64_t Event::ns_until(Event& end) {
  const CurrentContext current(device_);
  float milliseconds = 0;
  const CUresult status = device_.driver()->cuEventElapsedTime(&milliseconds, handle_, end.handle_);
  if (status == CUDA_ERROR_INVALID_HANDLE || status == CUDA_ERROR_NOT_READY) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                     "[cuda] there is no time between events that are not both timed, recorded and "
                     "done; create them with LOCI_EVENT_TIMED, record them and wait for them");
  }
  device_.check(status, "reading the time between events");
  return milliseconds <= 0 ? 0
                           : static_cast<std::uint64_t>(static_cast<double>(milliseconds) * 1e6);
}

}  // namespace loci::cuda
