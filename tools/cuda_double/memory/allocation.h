// Describes one piece of memory that device code may reach.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace loci::cuda_double {

enum class MemoryKind : std::uint8_t {
  kDevice,      // of one device
  kPooled,      // of one device, by a pool or a graph, which says what other devices may do with it
  kVariable,    // a .global or .const variable of a module, of one device
  kPinned,      // of the host, made page-locked
  kRegistered,  // of the host's own making, page-locked later; lies outside the reserved range
};

[[nodiscard]] std::string_view memory_kind_name(MemoryKind kind);
// Names what another device has to have to use such memory, with the call that gives it.
[[nodiscard]] std::string_view needed_access(MemoryKind kind);

// The access that other devices have to memory of a pool, a bit each.
struct PoolAccess {
  std::uint64_t readers = 0;
  std::uint64_t writers = 0;
};

// A device that uses memory, and the devices to which it has peer access, a bit each.
struct MemoryUser {
  int device = 0;
  std::uint64_t peers = 0;
};

struct Allocation {
  std::uint64_t id = 0;  // counts from 1, never used twice
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::uint64_t room = 0;  // bytes that it may grow to
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
