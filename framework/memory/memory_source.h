// Where an allocator takes its segments from.
#pragma once

#include <loci/abi/base.h>

#include <cstdint>
#include <string>

#include "framework/device/device.h"

namespace loci::memory {

// Thread-safe.
class MemorySource {
 public:
  virtual ~MemorySource() = default;

  // Usable by work enqueued on `stream` afterwards. Throws Error, kOutOfMemory if there is none
  // left.
  virtual void* acquire(std::uint64_t bytes, loci_stream* stream) = 0;
  // No work uses it any more.
  virtual void release(void* pointer, std::uint64_t bytes) noexcept = 0;
  // Makes later work on `later` wait for what is enqueued on `earlier`.
  virtual void order(loci_stream* earlier, loci_stream* later) = 0;
  // The device is lost: what it has made for its own use goes back.
  virtual void lose() noexcept {}
  // Waits for all work that may use memory of this source.
  virtual void synchronize() = 0;

  // For messages.
  [[nodiscard]] virtual std::string place() const = 0;
  // Bytes that could still be acquired, about; 0 if that is not known.
  [[nodiscard]] virtual std::uint64_t free_bytes() const noexcept = 0;
  // The alignment of what acquire() returns and of every block in it; a power of two.
  [[nodiscard]] virtual std::uint64_t alignment() const noexcept = 0;
  // acquire() is asked for multiples of this.
  [[nodiscard]] virtual std::uint64_t chunk() const noexcept = 0;
  // Returns true if the host may touch the memory.
  [[nodiscard]] virtual bool is_host() const noexcept = 0;
};

}  // namespace loci::memory
