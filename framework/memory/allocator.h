// Caching allocators, one per memory space and stream set.
#pragma once

#include <cstdint>
#include <loci/place.hpp>
#include <memory>
#include <string>
#include <vector>

#include "framework/device/device.h"

namespace loci::memory {

// Bytes; all of one allocator.
struct Stats {
  std::uint64_t in_use = 0;
  std::uint64_t cached = 0;  // held, free for reuse
  std::uint64_t peak_in_use = 0;
  std::uint64_t allocations = 0;  // calls so far
  std::uint64_t backend_allocations = 0;
};

class Allocator;

// A block of memory, given back on destruction. `name` is for the ledger (out-of-memory messages).
class Buffer {
 public:
  Buffer() = default;
  Buffer(Allocator* allocator, void* data, std::uint64_t bytes, loci_stream* stream) noexcept
      : allocator_(allocator), data_(data), bytes_(bytes), stream_(stream) {}
  ~Buffer() { reset(); }
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  void reset() noexcept;

 private:
  Allocator* allocator_ = nullptr;
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  loci_stream* stream_ = nullptr;
};

// Size classes, splitting and coalescing within a stream's pool; a block freed on one stream is
// reused by another only behind an event. Thread-safe. Lives until the process ends.
class Allocator {
 public:
  virtual ~Allocator() = default;
  // 64-byte aligned at least. A request of 0 bytes gives an empty buffer. Throws
  // Error(kOutOfMemory): what was asked, in use, cached and free, and the ten largest names.
  virtual Buffer allocate(std::uint64_t bytes, loci_stream* stream, const char* name) = 0;
  // Gives cached memory back to the backend.
  virtual void empty_cache() = 0;
  [[nodiscard]] virtual Stats stats() const = 0;
  // The largest live names and their bytes, descending.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::uint64_t>> largest(
      std::size_t count) const = 0;

 private:
  friend class Buffer;
  virtual void deallocate(void* data, std::uint64_t bytes, loci_stream* stream) noexcept = 0;
};

// Host memory; needs no plugin.
Allocator& host_allocator();
// That of a device: host memory for devices that use it.
Allocator& device_allocator(device::Device& device);
// By place; "cpu" is host memory, whether or not a plugin brings that device.
Allocator& allocator_of(const Place& place);

}  // namespace loci::memory
