#include "stream.h"

#include "device.h"
#include "error.h"

namespace opencl {
namespace {

// CL_COMPLETE, a stage before it (greater) or what the command failed with (negative).
cl_int progress(cl_event event) {
  cl_int status = CL_QUEUED;
  check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
        "querying an event");
  return status;
}

std::uint64_t end_ns(const ClEvent& marker) {
  cl_ulong time = 0;
  if (!marker || progress(marker.get()) != CL_COMPLETE) {
    throw loci::sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                           "[opencl] an event has not been reached; wait for it first");
  }
  check(
      clGetEventProfilingInfo(marker.get(), CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr),
      "reading the time of an event");
  return time;
}

}  // namespace

Stream::Stream(Device& device) : device_(device), queue_(device.make_queue()) {
  device_.add(*this);
}

Stream::~Stream() {
  device_.remove(*this);
  clFinish(queue_.get());
}

void Stream::enqueued(cl_event event, const char* what, std::uint64_t correlation) {
  {
    ClEvent owned(event);
    const std::lock_guard lock(mutex_);
    pending_.push_back({std::move(owned), what, correlation});
  }
  // Unless it is told to, a queue may keep its work until somebody waits.
  check(clFlush(queue_.get()), "starting work");
  collect();
}

// Work of one queue ends in order.
void Stream::collect() {
  const std::lock_guard lock(mutex_);
  while (!pending_.empty()) {
    const Command& first = pending_.front();
    const cl_int status = progress(first.event.get());
    if (status > CL_COMPLETE) return;
    if (status < CL_COMPLETE) device_.report(first.what, first.correlation, status);
    pending_.pop_front();
  }
}

bool Stream::query() {
  collect();
  const std::lock_guard lock(mutex_);
  return pending_.empty();
}

void Stream::synchronize() {
  check(clFinish(queue_.get()), "waiting for a queue");
  collect();
}

void Stream::wait(Event& event) {
  // Each device has a context of its own, and OpenCL's events stay within one.
  if (&event.device() != &device_) return event.synchronize();
  const ClEvent latest = event.latest();
  if (!latest) return;
  cl_event marker = latest.get();
  cl_event barrier = nullptr;
  check(clEnqueueBarrierWithWaitList(queue(), 1, &marker, &barrier), "waiting for an event");
  enqueued(barrier, "wait for an event", 0);
}

void Event::record(Stream* stream) {
  Device::require(stream);
  cl_event marker = nullptr;
  check(clEnqueueMarkerWithWaitList(stream->queue(), 0, nullptr, &marker), "recording an event");
  ClEvent owned(marker);
  check(clRetainEvent(marker), "recording an event");
  stream->enqueued(marker, "record of an event", 0);
  const std::lock_guard lock(mutex_);
  marker_ = std::move(owned);
}

ClEvent Event::latest() {
  const std::lock_guard lock(mutex_);
  if (marker_) check(clRetainEvent(marker_.get()), "using an event");
  return ClEvent(marker_.get());
}

// Failed work counts as ended; the device tells of the failure.
bool Event::query() {
  const ClEvent marker = latest();
  return !marker || progress(marker.get()) <= CL_COMPLETE;
}

void Event::synchronize() {
  const ClEvent marker = latest();
  if (!marker) return;
  cl_event event = marker.get();
  const cl_int status = clWaitForEvents(1, &event);
  if (status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) check(status, "waiting for an event");
}

std::uint64_t Event::ns_until(Event& end) {
  const std::uint64_t first = end_ns(latest());
  const std::uint64_t last = end_ns(end.latest());
  return last > first ? last - first : 0;
}

}  // namespace opencl
