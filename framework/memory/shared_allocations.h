// Memory of a device that has few allocations at a time, which all who want some share.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "framework/device/device.h"

namespace loci::memory {

// Gives out pieces of the device's allocations, each of which has a due part of what the device has
// left, so that its memory does not end with their number. Thread-safe. Lives with the device.
class SharedAllocations {
 public:
  explicit SharedAllocations(device::Device& device);
  // Allocations that nobody has a piece of have gone back; the rest the device closes with.
  ~SharedAllocations() = default;
  SharedAllocations(const SharedAllocations&) = delete;
  SharedAllocations& operator=(const SharedAllocations&) = delete;

  // Usable by work of every stream. Throws Error, kOutOfMemory where no piece is large enough and
  // the device gives no more.
  void* acquire(std::uint64_t bytes);
  // Takes a piece of acquire() back, with the same number of bytes; no work uses it any more. An
  // allocation of which nobody has a piece goes back to the device.
  void release(void* pointer, std::uint64_t bytes) noexcept;
  // Free bytes of the device, and those of its allocations; 0 if the device cannot tell.
  [[nodiscard]] std::uint64_t free_bytes() const noexcept;

 private:
  struct Allocation {
    std::uint64_t bytes;
    std::map<std::uint64_t, std::uint64_t> free;  // offset -> length, no two of them adjacent
  };
  using Allocations = std::map<char*, Allocation>;

  [[nodiscard]] std::uint64_t whole(std::uint64_t bytes) const;
  // These expect the mutex to be held. NULL: there is no such piece.
  void* take_piece(std::uint64_t bytes);
  void add_allocation(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t due_part() const;
  // The allocation that the pointer lies in.
  [[nodiscard]] Allocations::iterator of(const void* pointer);

  device::Device& device_;
  std::uint64_t most_;
  std::uint64_t step_;  // of pieces, so that each has the device's alignment
  mutable std::mutex mutex_;
  Allocations allocations_;
  std::uint64_t held_ = 0;
  std::uint64_t unused_ = 0;
};

}  // namespace loci::memory
