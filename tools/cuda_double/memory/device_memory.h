// The memory that device code and copies reach: one reserved range of addresses for all devices, so
// that an address tells its allocation, and host memory that was registered.
//
// Device addresses are host addresses: what check() accepts may be read and written directly. A new
// allocation is filled with poison. A freed one stays in quarantine, unmapped from use but known by
// name, until younger freed ones push it out. For device memory a shadow keeps, byte for byte,
// whether it was ever written; host memory counts as written, because the host writes without
// telling.
//
// Thread-safe. Freeing memory that a kernel or a copy still uses is that caller's mistake, which
// the checks find, but only at the next access.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cuda_double/memory/allocation.h"
#include "tools/cuda_double/memory/mapped_range.h"

namespace loci::cuda_double {

// A use of an address that is no use of a live allocation; the message names what lies there.
class MemoryError : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t { kOutside, kFreed, kNotABase, kOverlaps };
  MemoryError(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

// The states of a byte of device memory.
enum class ByteState : std::uint8_t {
  kUnwritten = 0,
  kWritten = 1,
  kUndefined = 2,  // written with a value that was computed from an unwritten one
};

class DeviceMemory {
 public:
  struct Options {
    std::uint64_t reserved_bytes = std::uint64_t{16} << 30;  // of addresses, for all allocations
    std::uint64_t quarantine_bytes = std::uint64_t{256} << 20;
    // So many at most, however small: what is known of them takes memory of the program.
    std::size_t quarantine_allocations = 32;
    bool track_writes = true;  // without, everything counts as written
    bool poison = true;        // fill new memory; else it may hold zeros or what it held before
  };
  static constexpr std::uint8_t kPoison = 0xcb;
  static constexpr std::uint64_t kAlignment = 256;  // of each base

  DeviceMemory();
  explicit DeviceMemory(const Options& options);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // The address of new memory; 0 bytes take one granule of their own. Throws std::bad_alloc when
  // the reserved range has no room; what a device has is its owner's to count.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes, MemoryKind kind, int device,
                                       std::string made_by);
  // Throws MemoryError unless `address` is the base of a live allocation of allocate().
  void free(std::uint64_t address, std::string freed_by);

  // Makes host memory of the caller's reachable, until unregister_host(). Throws MemoryError if it
  // overlaps registered or allocated memory, or is not registered.
  void register_host(std::uint64_t base, std::uint64_t bytes, int device, std::string made_by);
  void unregister_host(std::uint64_t base, std::string freed_by);

  // The allocation with this byte, live, or freed and still in quarantine. An allocation of no
  // bytes is found at its base.
  [[nodiscard]] std::optional<Allocation> find(std::uint64_t address) const;
  [[nodiscard]] std::vector<Allocation> live() const;

  // Throws MemoryError unless all the bytes are of one live allocation.
  void check(std::uint64_t address, std::uint64_t bytes) const;
  // Returns false where check() throws, and gives no reason.
  [[nodiscard]] bool is_live(std::uint64_t address, std::uint64_t bytes) const noexcept;
  // Like is_live(), and says how far the live allocation around `address` reaches.
  struct Extent {
    std::uint64_t base = 0;
    std::uint64_t end = 0;  // 0: no live allocation
    std::int16_t device = 0;
    MemoryKind kind = MemoryKind::kDevice;
  };
  [[nodiscard]] Extent extent(std::uint64_t address) const noexcept;

  // The live allocation has so many bytes from now on, of those that it was made with at most: it
  // is used again. Throws MemoryError, or std::bad_alloc.
  void resize(std::uint64_t base, std::uint64_t bytes);
  // Takes memory of a pool. Throws MemoryError unless `base` is that of a live allocation.
  void set_access(std::uint64_t base, const PoolAccess& access);
  // Returns true if the user's kernels and fills reach the live allocation with this byte.
  [[nodiscard]] bool may_use(std::uint64_t address, const MemoryUser& user,
                             bool writes) const noexcept;

  // Words for a message: "byte 12 of allocation 3 (4096 bytes of device 0, made by cuMemAlloc #1)",
  // "4 bytes past the end of ...", "... freed by ...", "no allocation is near".
  [[nodiscard]] std::string describe(std::uint64_t address) const;

  // The shadow. Ranges have to be of one allocation; those of host memory are ignored.
  void mark(std::uint64_t address, std::uint64_t bytes, ByteState state);
  void mark_written(std::uint64_t address, std::uint64_t bytes) {
    mark(address, bytes, ByteState::kWritten);
  }
  // Takes the states of the bytes along with a copy of them.
  void copy_states(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
  // The first byte of the range that is not kWritten; what a copy to the host asks.
  [[nodiscard]] std::optional<std::uint64_t> first_not_written(std::uint64_t address,
                                                               std::uint64_t bytes) const;
  // The states of the bytes from `address` on, for kernels; NULL where none are kept.
  [[nodiscard]] std::uint8_t* states_at(std::uint64_t address) const noexcept {
    return shadow_.data() != nullptr && in_range(address) ? shadow_.data() + (address - first_)
                                                          : nullptr;
  }

  [[nodiscard]] std::uint64_t range_begin() const { return first_; }
  [[nodiscard]] std::uint64_t range_bytes() const { return options_.reserved_bytes; }

 private:
  struct Slot;
  using SlotNumber = std::uint32_t;

  [[nodiscard]] bool in_range(std::uint64_t address) const noexcept {
    return address - first_ < options_.reserved_bytes;
  }
  [[nodiscard]] const Slot* slot_at(std::uint64_t address) const noexcept;
  [[nodiscard]] const Slot* registered_at(std::uint64_t address) const noexcept;
  [[nodiscard]] SlotNumber live_base(std::uint64_t address) const;
  [[nodiscard]] std::uint64_t take_range(std::uint64_t bytes);
  // The first allocation from here on in this direction, the granule of the address included.
  [[nodiscard]] const Allocation* neighbour(std::uint64_t address, std::uint64_t step) const;
  [[nodiscard]] std::string describe_neighbours(std::uint64_t address) const;
  void give_back(std::uint64_t base, std::uint64_t bytes);
  [[nodiscard]] std::atomic<std::uint32_t>& granule(std::uint64_t address) const noexcept;
  void point_granules(std::uint64_t base, std::uint64_t bytes, std::uint32_t entry);
  void shrink_quarantine(std::uint64_t most);
  [[nodiscard]] SlotNumber new_slot(Allocation allocation);
  [[nodiscard]] Slot*& table_entry(SlotNumber slot) const;
  void check_free_of_others(std::uint64_t base, std::uint64_t bytes) const;

  Options options_;
  MappedRange memory_;
  MappedRange shadow_;
  MappedRange granules_;  // per granule of kAlignment bytes: 1 + its slot, or 0
  std::uint64_t first_ = 0;

  mutable std::shared_mutex mutex_;
  std::deque<Slot> slots_;  // stable addresses
  MappedRange slot_table_;  // pointers to them by number, for readers without the lock
  std::vector<SlotNumber> unused_slots_;
  std::map<std::uint64_t, std::uint64_t> free_;  // base -> bytes
  std::deque<SlotNumber> quarantine_;
  std::uint64_t quarantined_bytes_ = 0;
  std::map<std::uint64_t, SlotNumber> registered_;
  std::uint64_t next_id_ = 1;
};

}  // namespace loci::cuda_double
