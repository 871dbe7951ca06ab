// Events.
#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/handles.h"

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

namespace {

constexpr unsigned kFlags = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING;

// An event whose record was captured cannot be asked anything; a question ends the capture.
void require_not_captured(const Event& event, bool ends_capture) {
  if (event.capture == nullptr) return;
  require(!event.capture->ended, "the event was recorded in a capture that has ended");
  if (ends_capture) event.capture->invalidate();
  throw DriverError(CUDA_ERROR_CAPTURED_EVENT, "the event was recorded in a capture");
}

std::shared_ptr<Event> asked_event(Call& call, CUevent handle) {
  const auto event = event_of(call, handle);
  require_not_captured(*event, true);
  require(!spoil_captures(call.driver), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          "a stream is captured");
  event->context.require_no_error();
  return event;
}

void record(Call& call, CUevent handle, CUstream stream, unsigned flags) {
  require((flags & ~static_cast<unsigned>(CU_EVENT_RECORD_EXTERNAL)) == 0, "unknown flags");
  const auto event = event_of(call, handle);
  const auto on = call.work_stream(stream);
  require(&event->context == &on->context, CUDA_ERROR_INVALID_HANDLE,
          "the event and the stream are of two contexts");
  const bool external = (flags & CU_EVENT_RECORD_EXTERNAL) != 0;
  require(!external || on->capture != nullptr, CUDA_ERROR_ILLEGAL_STATE,
          "the stream is not captured");
  if (external) {
    capture_operation(*on, RecordOperation{event}, call.text());
  } else if (on->capture != nullptr) {
    capture_record(*on, *event);
  } else {
    auto task = std::make_shared<Task>();
    task->what = call.text();
    event->record = call.driver.submit(*on, task);
    event->capture = nullptr;
  }
}

void wait(Call& call, CUstream stream, CUevent handle, unsigned flags) {
  require((flags & ~static_cast<unsigned>(CU_EVENT_WAIT_EXTERNAL)) == 0, "unknown flags");
  const auto event = event_of(call, handle);
  const auto on = call.stream(stream);
  check_capture_allows_work(*on);
  const bool external = (flags & CU_EVENT_WAIT_EXTERNAL) != 0;
  require(!external || on->capture != nullptr, CUDA_ERROR_ILLEGAL_STATE,
          "the stream is not captured");
  if (external) {
    capture_operation(*on, WaitOperation{event}, call.text());
  } else if (on->capture != nullptr || event->capture != nullptr) {
    capture_wait(on, *event);
  } else if (event->record != nullptr) {
    auto task = std::make_shared<Task>();
    task->what = call.text();
    task->context = &on->context;
    auto before = on->dependencies();
    before.push_back(event->record);
    call.driver.submit(task, on->actor, before);
    on->last = task;
  }
}

}  // namespace

CUresult CUDAAPI cuEventCreate(CUevent* event, unsigned flags) {
  return enter("cuEventCreate", kNeedsContext, [&](Call& call) {
    auto& place = result(event);
    require((flags & ~kFlags) == 0, "unknown flags; the double has no events between processes");
    auto made = std::make_shared<Event>(call.context(), flags);
    call.driver.registry.add(made);
    place = handle_of<CUevent>(made.get());
  });
}

CUresult CUDAAPI cuEventDestroy(CUevent event) {
  return enter("cuEventDestroy_v2", kPlain, [&](Call& call) {
    const auto destroyed = event_of(call, event);
    destroyed->context.require_no_error();
    call.driver.registry.remove(destroyed.get());
  });
}

CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream) {
  return enter("cuEventRecord", kNeedsContext, [&](Call& call) { record(call, event, stream, 0); });
}

CUresult CUDAAPI cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return enter("cuEventRecordWithFlags", kNeedsContext,
               [&](Call& call) { record(call, event, stream, flags); });
}

CUresult CUDAAPI cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return enter("cuStreamWaitEvent", kNeedsContext,
               [&](Call& call) { wait(call, stream, event, flags); });
}

CUresult CUDAAPI cuEventQuery(CUevent event) {
  return enter("cuEventQuery", kPlain, [&](Call& call) {
    const auto asked = asked_event(call, event);
    if (asked->record == nullptr) return;
    require(asked->record->done, CUDA_ERROR_NOT_READY, "the event is pending");
    call.driver.seen_by_host(asked->record);
  });
}

CUresult CUDAAPI cuEventSynchronize(CUevent event) {
  return enter("cuEventSynchronize", kPlain, [&](Call& call) {
    const auto waited = asked_event(call, event);
    call.wait(waited->record);
    release_unused(waited->context.device);
  });
}

CUresult CUDAAPI cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return enter("cuEventElapsedTime_v2", kPlain, [&](Call& call) {
    require(milliseconds != nullptr, CUDA_ERROR_INVALID_HANDLE, "there is no place for the time");
    const auto first = event_of(call, start);
    const auto second = event_of(call, end);
    for (const auto& event : {first, second}) {
      require_not_captured(*event, false);
      require(event->has_timing() && event->record != nullptr, CUDA_ERROR_INVALID_HANDLE,
              "the event has no timing, or was never recorded");
      require(event->record->done, CUDA_ERROR_NOT_READY, "the event is pending");
    }
    // The programming guide demands one device; each device has a clock of its own.
    require(&first->context.device == &second->context.device, CUDA_ERROR_INVALID_HANDLE,
            "the events are of two devices");
    const std::chrono::duration<float, std::milli> took =
        second->record->done_at - first->record->done_at;
    *milliseconds = took.count();
  });
}
