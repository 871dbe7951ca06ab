#include "stream.h"

#include "device.h"
#include "staging.h"

namespace loci::cuda {
namespace {

struct HostCall {
  loci_host_fn function;
  void* context;
};

// Called whatever the status, as the host asks for. cuLaunchHostFunc() would leave it out behind
// work that failed.
void CUDA_CB run_host_call(CUstream, CUresult, void* data) {
  const std::unique_ptr<HostCall> call(static_cast<HostCall*>(data));
  call->function(call->context);
}

}  // namespace

Stream::Stream(Device& device, std::int32_t priority)
    : device_(device), recording_{{}, {}, nullptr}, recent_(device.suspects().add()) {
  recording_.recent = recent_.get();
  const CurrentContext current(device);
  device.check(device.driver()->cuStreamCreateWithPriority(&handle_, CU_STREAM_NON_BLOCKING,
                                                           static_cast<int>(priority)),
               "creating a stream");
  device.streams().add(*this);
}

// The driver destroys it when its work has ended.
Stream::~Stream() {
  device_.streams().remove(*this);
  staging_.reset();
  const CurrentContext current(device_, CurrentContext::ToGiveBack{});
  device_.driver()->cuStreamDestroy(handle_);
}

bool Stream::query() {
  const CurrentContext current(device_);
  const std::uint64_t enqueued = recent_->enqueued();
  const CUresult status = device_.driver()->cuStreamQuery(handle_);
  if (status == CUDA_ERROR_NOT_READY) return false;
  device_.check(status, "querying a stream");
  recent_->prove(enqueued);
  return true;
}

void Stream::synchronize() {
  const CurrentContext current(device_);
  const std::uint64_t enqueued = recent_->enqueued();
  device_.check(device_.driver()->cuStreamSynchronize(handle_), "waiting for a stream");
  recent_->prove(enqueued);
}

void Stream::wait(Event& event) {
  const CurrentContext current(device_);
  device_.check(device_.driver()->cuStreamWaitEvent(handle_, event.handle(), CU_EVENT_WAIT_DEFAULT),
                "having a stream wait for an event");
}

void Stream::launch_host(loci_host_fn function, void* context, std::uint64_t) {
  const CurrentContext current(device_);
  auto call = std::make_unique<HostCall>(HostCall{function, context});
  device_.check(device_.driver()->cuStreamAddCallback(handle_, &run_host_call, call.get(), 0),
                "enqueuing a function of the host");
  static_cast<void>(call.release());  // run_host_call() deletes it
}

// Recorded work does not run, and is noted when the graph is launched.
void Stream::note(std::string_view op, std::uint64_t correlation) {
  if (recording_.thread.load() != std::thread::id()) return;
  recent_->note(op, correlation);
  if (device_.is_blocking()) synchronize();
}

bool Stream::is_capturing() {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  device_.check(device_.driver()->cuStreamIsCapturing(handle_, &status), "looking at a stream");
  return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

// A question of the stream's work is what the driver itself ends a capture for.
void Stream::refuse_while_recording(const char* what) {
  if (!is_capturing()) return;
  device_.driver()->cuStreamQuery(handle_);
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                   std::string("[cuda] ") + what +
                       " while the stream records a graph; do it before the recording or after it");
}

bool Stream::mark(Event& mark) {
  const std::lock_guard lock(recording_.mutex);
  const std::thread::id thread = recording_.thread;
  if (thread != std::thread::id() && thread != std::this_thread::get_id()) return false;
  refuse_while_recording("the device cannot be waited for");
  const std::uint64_t enqueued = recent_->enqueued();
  device_.check(device_.driver()->cuEventRecord(mark.handle(), handle_), "waiting for the device");
  mark.comes_behind(*this, enqueued);
  return true;
}

Staging& Stream::staging() {
  std::call_once(has_staging_, [this] { staging_ = std::make_unique<Staging>(device_, *this); });
  return *staging_;
}

}  // namespace loci::cuda
