// The memory of one device: allocations between red zones, within a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/sim/free_ranges.h"
#include "plugins/sim/mapped_memory.h"
#include "plugins/sim/settings.h"

namespace loci::sim {

inline constexpr std::uint64_t kAlignment = 256;

// Addresses handed out are public ones. All functions may be called from any thread. A free has two
// ends: begin_free when it is asked for, from when the allocation must not be used by what comes
// after, and finish_free when the work before it has ended.
class DeviceMemory {
 public:
  // `place` is for messages: "sim:0".
  DeviceMemory(const Settings& settings, std::string place);

  // Throws Error(LOCI_CODE_OUT_OF_MEMORY). 0 bytes are an allocation too.
  void* allocate(std::uint64_t bytes);
  // Throws Error(LOCI_CODE_INVALID_ARGUMENT) if it is no allocation or was freed. Returns its
  // bytes.
  std::uint64_t begin_free(const void* pointer);
  // Throws Error(LOCI_CODE_DATA_LOSS) after the free, naming the allocation, if a red zone is
  // damaged.
  void finish_free(const void* pointer);
  // Returns true if finish_free has still to come for some.
  [[nodiscard]] bool has_pending_frees() const;

  // Where the device finds [pointer, pointer + bytes). Throws Error(LOCI_CODE_INVALID_ARGUMENT),
  // naming `what`, unless all of it lies in one allocation that is not freed.
  std::byte* alias(const void* pointer, std::uint64_t bytes, std::string_view what) const;

  [[nodiscard]] std::uint64_t used() const;
  [[nodiscard]] std::uint64_t limit() const { return limit_; }

  // The findings when the device is closed: allocations that were not freed, damaged red zones.
  [[nodiscard]] std::vector<std::string> findings() const;

 private:
  struct Allocation {
    std::uint64_t number;  // from 1, in the order of the calls
    std::uint64_t bytes;   // as asked for
    bool freed = false;
  };
  using Allocations = std::map<std::uint64_t, Allocation>;  // by offset of the first byte

  [[nodiscard]] std::uint64_t block_bytes(std::uint64_t bytes) const;
  [[nodiscard]] std::string name(const Allocations::value_type& entry) const;
  [[nodiscard]] std::optional<std::string> damage(const Allocations::value_type& entry) const;
  [[nodiscard]] Allocations::const_iterator holder(std::uint64_t offset) const;

  const std::string place_;
  const std::uint64_t limit_;
  const std::uint64_t zone_;
  const bool poison_;
  MappedMemory memory_;
  mutable std::mutex mutex_;
  FreeRanges free_;
  Allocations allocations_;
  std::uint64_t used_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t pending_ = 0;
};

}  // namespace loci::sim
