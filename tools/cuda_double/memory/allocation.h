// What is known of one piece of memory that device code may reach.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace loci::cuda_double {

enum class MemoryKind : std::uint8_t {
  kDevice,      // of one device
  kVariable,    // a .global or .const variable of a module, of one device
  kPinned,      // of the host, made page-locked
  kRegistered,  // of the host's own making, page-locked later; lies outside the reserved range
};

[[nodiscard]] std::string_view memory_kind_name(MemoryKind kind);

struct Allocation {
  std::uint64_t id = 0;  // counts from 1, never used twice
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  int device = 0;        // whose it is; of host memory, the device that was current
  std::string made_by;   // such as "cuMemAlloc_v2 #12", for messages
  std::string freed_by;  // empty while it lives
  bool freed = false;

  [[nodiscard]] std::uint64_t end() const { return base + bytes; }
  [[nodiscard]] bool is_host() const {
    return kind == MemoryKind::kPinned || kind == MemoryKind::kRegistered;
  }
};

}  // namespace loci::cuda_double
