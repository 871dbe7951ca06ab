// One piece of memory under two addresses: the public one faults when it is touched, the private
// one is for the device.
#pragma once

#include <cstddef>
#include <cstdint>

namespace loci::sim {

class MappedMemory {
 public:
  // Reserves address space only; pages come as they are written, zero at first. `bytes` is a
  // multiple of the page size. Throws Error(LOCI_CODE_OUT_OF_MEMORY).
  explicit MappedMemory(std::uint64_t bytes);
  ~MappedMemory();
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // The public address of an offset.
  [[nodiscard]] void* address(std::uint64_t offset) const { return public_ + offset; }
  // Returns true if [pointer, pointer + bytes) are public addresses of this memory.
  [[nodiscard]] bool contains(const void* pointer, std::uint64_t bytes) const {
    const auto* first = static_cast<const std::byte*>(pointer);
    return first >= public_ && first <= public_ + bytes_ &&
           bytes <= static_cast<std::uint64_t>(public_ + bytes_ - first);
  }
  [[nodiscard]] std::uint64_t offset(const void* pointer) const {
    return static_cast<std::uint64_t>(static_cast<const std::byte*>(pointer) - public_);
  }
  // Where the device finds it.
  [[nodiscard]] std::byte* alias(std::uint64_t offset) const { return private_ + offset; }

 private:
  std::uint64_t bytes_;
  std::byte* public_ = nullptr;
  std::byte* private_ = nullptr;
};

}  // namespace loci::sim
