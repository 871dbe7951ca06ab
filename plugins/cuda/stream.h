// A stream of a device.
#pragma once

#include <loci/abi/device.h>

#include <cstdint>
#include <memory>

#include "driver.h"

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
  // Pinned memory through which pageable memory is copied; made when first asked for.
  Staging& staging();

 private:
  Device& device_;
  CUstream handle_ = nullptr;
  std::unique_ptr<Staging> staging_;
};

}  // namespace loci::cuda
