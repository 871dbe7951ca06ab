// Where frames have their memory from.
#pragma once

#include <cstdint>

#include "framework/execution/plan.h"
#include "framework/memory/allocator.h"

namespace loci::execution {

class FrameMemory {
 public:
  virtual ~FrameMemory() = default;
  // `name` as allocators take it. Throws Error(kOutOfMemory).
  [[nodiscard]] virtual memory::Buffer allocate(Space space, std::uint64_t bytes,
                                                const char* name) = 0;
};

// The allocators that all use, for the default streams. Thread-safe.
FrameMemory& common_memory();

}  // namespace loci::execution
