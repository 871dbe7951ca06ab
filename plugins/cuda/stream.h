// A stream of a device.
#pragma once

#include <loci/abi/device.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "driver.h"
#include "recent_launches.h"
#include "stream_recording.h"

namespace loci::cuda {

class Device;
class Event;
class Staging;

// Does not wait for the legacy stream, nor that for it.
class Stream {
 public:
  Stream(Device& device, std::int32_t priority);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] CUstream handle() const { return handle_; }
  [[nodiscard]] bool query();
  void synchronize();
  void wait(Event& event);
  void launch_host(loci_host_fn function, void* context, std::uint64_t correlation);

  [[nodiscard]] bool is_capturing();
  // Throws `what`, and that a graph is recorded, if so; the recording is invalid from then on.
  void refuse_while_recording(const char* what);
  // Work that is enqueued, for the error that it may end with. STATIC `op`. Waits for it where the
  // device is to.
  void note(std::string_view op, std::uint64_t correlation);
  [[nodiscard]] const std::shared_ptr<RecentLaunches>& recent() const { return recent_; }
  // For who records the stream.
  [[nodiscard]] StreamRecording& recording() { return recording_; }
  // Makes `mark` done when what is enqueued now is; false if another thread records the stream.
  // Throws if this thread does, and the recording is invalid from then on.
  bool mark(Event& mark);
  // Pinned memory through which pageable memory is copied; made when first asked for.
  Staging& staging();

 private:
  Device& device_;
  CUstream handle_ = nullptr;
  StreamRecording recording_;
  const std::shared_ptr<RecentLaunches> recent_;
  std::once_flag has_staging_;
  std::unique_ptr<Staging> staging_;
};

}  // namespace loci::cuda
