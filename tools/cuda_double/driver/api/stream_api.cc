// Streams, and functions of the host on them.
#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/context_life.h"
#include "tools/cuda_double/driver/enqueue.h"
#include "tools/cuda_double/driver/handles.h"

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

namespace {

void create(Call& call, CUstream* stream, unsigned flags, int priority) {
  auto& place = result(stream);
  require((flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING)) == 0, "unknown flags");
  const int clamped = std::min(kLeastPriority, std::max(kGreatestPriority, priority));
  auto made = std::make_shared<Stream>(call.context(), flags, clamped, Stream::Role::kPlain);
  call.driver.registry.add(made);
  call.context().add(made);
  place = handle_of<CUstream>(made.get());
}

// Questions of a stream's work are refused, and end its capture.
std::shared_ptr<Stream> asked_stream(Call& call, CUstream handle) {
  const auto stream = call.stream(handle);
  if (stream->capture != nullptr) {
    stream->capture->invalidate();
    throw DriverError(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "the stream is captured");
  }
  return stream;
}

// Questions of what the stream waits for are refused too where such a stream is captured.
std::shared_ptr<Stream> waited_stream(Call& call, CUstream handle) {
  const auto stream = asked_stream(call, handle);
  check_not_implicit(*stream, true);
  require(!spoil_captures(call.driver), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          "a stream is captured");
  return stream;
}

void require_no_error(const Stream& stream) { stream.context.require_no_error(); }

}  // namespace

CUresult CUDAAPI cuStreamCreate(CUstream* stream, unsigned flags) {
  return enter("cuStreamCreate", kNeedsContext,
               [&](Call& call) { create(call, stream, flags, kLeastPriority); });
}

CUresult CUDAAPI cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return enter("cuStreamCreateWithPriority", kNeedsContext,
               [&](Call& call) { create(call, stream, flags, priority); });
}

CUresult CUDAAPI cuStreamDestroy(CUstream stream) {
  return enter("cuStreamDestroy_v2", kPlain, [&](Call& call) {
    const auto destroyed = call.driver.registry.get<Stream>(stream);
    require_no_error(*destroyed);
    leave_capture(*destroyed);
    destroyed->context.forget(*destroyed);
    call.driver.registry.remove(destroyed.get());
  });
}

CUresult CUDAAPI cuStreamQuery(CUstream stream) {
  return enter("cuStreamQuery", kNeedsContext | kDespiteErrors, [&](Call& call) {
    const auto asked = waited_stream(call, stream);
    require_no_error(*asked);
    require(asked->is_idle(), CUDA_ERROR_NOT_READY, "work is pending");
    for (const auto& task : asked->dependencies()) call.driver.seen_by_host(task);
  });
}

CUresult CUDAAPI cuStreamSynchronize(CUstream stream) {
  return enter("cuStreamSynchronize", kNeedsContext | kDespiteErrors, [&](Call& call) {
    const auto waited = waited_stream(call, stream);
    for (const auto& task : waited->dependencies()) call.wait(task);
    require_no_error(*waited);
    release_unused(waited->context.device);
  });
}

CUresult CUDAAPI cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return enter("cuStreamGetFlags", kNeedsContext,
               [&](Call& call) { result(flags) = asked_stream(call, stream)->flags; });
}

CUresult CUDAAPI cuStreamGetPriority(CUstream stream, int* priority) {
  return enter("cuStreamGetPriority", kNeedsContext,
               [&](Call& call) { result(priority) = call.stream(stream)->priority; });
}

CUresult CUDAAPI cuStreamGetId(CUstream stream, unsigned long long* id) {
  return enter("cuStreamGetId", kNeedsContext,
               [&](Call& call) { result(id) = call.stream(stream)->id; });
}

CUresult CUDAAPI cuStreamGetCtx(CUstream stream, CUcontext* context) {
  return enter("cuStreamGetCtx", kNeedsContext, [&](Call& call) {
    result(context) = handle_of<CUcontext>(&call.stream(stream)->context);
  });
}

CUresult CUDAAPI cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return enter("cuLaunchHostFunc", kNeedsContext, [&](Call& call) {
    const auto on = call.work_stream(stream);
    require(function != nullptr, "there is no function");
    enqueue(call, on, HostOperation{function, data}, call.text());
  });
}

CUresult CUDAAPI cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data,
                                     unsigned flags) {
  return enter("cuStreamAddCallback", kNeedsContext, [&](Call& call) {
    const auto on = asked_stream(call, stream);
    check_capture_allows_work(*on);
    require(callback != nullptr && flags == 0, "there is no callback, or there are flags");
    auto task = std::make_shared<Task>();
    task->what = call.text();
    task->runs_after_errors = true;
    task->is_host_function = true;
    task->work = [&driver = call.driver, on, callback, data, stream](Task&) {
      CUresult status = CUDA_SUCCESS;
      {
        const std::lock_guard lock(driver.mutex);
        // The manual has the context's error; a driver says no more than this.
        if (on->context.error() != CUDA_SUCCESS) status = CUDA_ERROR_UNKNOWN;
      }
      const HostFunctionScope forbids_calls;
      callback(stream, status, data);
    };
    call.driver.submit(*on, task);
  });
}
