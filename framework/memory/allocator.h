// Caching allocators, one per memory space and stream set.
#pragma once

#include <cstdint>
#include <loci/place.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/device/device.h"

namespace loci::memory {

// Bytes; all of one allocator.
struct Stats {
  std::uint64_t in_use = 0;  // live blocks, as rounded up to their size class
  std::uint64_t cached = 0;  // held, free for reuse
  std::uint64_t peak_in_use = 0;
  std::uint64_t allocations = 0;  // calls so far
  std::uint64_t backend_allocations = 0;
};

class Allocator;
struct Block;

// A block of memory, given back on destruction.
class Buffer {
 public:
  Buffer() = default;
  // For allocators.
  Buffer(Allocator* allocator, Block* block, void* data, std::uint64_t bytes) noexcept
      : allocator_(allocator), block_(block), data_(data), bytes_(bytes) {}
  ~Buffer() { reset(); }
  Buffer(Buffer&& other) noexcept
      : allocator_(std::exchange(other.allocator_, nullptr)),
        block_(std::exchange(other.block_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  // The number of bytes that was asked for.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  void reset() noexcept;
  // Is empty afterwards; the memory is never given back.
  void abandon() noexcept { allocator_ = nullptr; }

 private:
  Allocator* allocator_ = nullptr;
  Block* block_ = nullptr;
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// Size classes, splitting and coalescing within a stream's pool; a block freed on one stream is
// reused by another only behind an event. Thread-safe. Lives as long as its device; that of the
// host as long as its context.
class Allocator {
 public:
  virtual ~Allocator() = default;
  // Aligned to 64 bytes at least. A request of 0 bytes gives an empty buffer. `name` is for the
  // ledger, in parentheses where the memory is no tensor's ("(workspace)"); only the pointer is
  // kept, so the text has to outlive the buffer (see intern.h). Throws
  // Error(kOutOfMemory): what was asked, in use, cached and free; details: the ten largest names.
  virtual Buffer allocate(std::uint64_t bytes, loci_stream* stream, const char* name) = 0;
  // Gives cached memory back to the backend, after waiting for the device.
  virtual void empty_cache() = 0;
  [[nodiscard]] virtual Stats stats() const = 0;
  // Bytes that new blocks could take, about: what is cached and what the backend has free.
  [[nodiscard]] virtual std::uint64_t available() const = 0;
  // The largest live names and their bytes, descending; blocks of one name are added up.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::uint64_t>> largest(
      std::size_t count) const = 0;

 private:
  friend class Buffer;
  virtual void deallocate(Block* block, std::uint64_t bytes) noexcept = 0;
};

// Host memory of the current context; needs no plugin. LOCI_MEMORY_LIMIT is the most bytes that it
// may hold.
Allocator& host_allocator();
// That of a device: host memory for devices that use it. Without a stream it takes the default one.
Allocator& device_allocator(device::Device& device);
// The allocator of a place, which is resolved; "cpu" is host memory, with or without that device.
Allocator& allocator_of(const Place& place);

}  // namespace loci::memory
