// How much memory code under test holds.
#pragma once

#include <cstddef>

namespace loci::fuzz {

// Counts what is allocated and freed in all threads from its construction on: on the heap in builds
// with the address sanitizer, else through operator new and operator delete, which memory_meter.cc
// replaces for the whole program. Mapped memory, such as that of tensors, is not counted. One at a
// time.
class MemoryMeter {
 public:
  MemoryMeter();
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  // The most bytes that were held at once, beyond those held at the construction.
  [[nodiscard]] std::size_t peak() const;
};

}  // namespace loci::fuzz
