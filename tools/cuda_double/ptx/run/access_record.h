// Which bytes of global memory a worker's blocks read and wrote, for an AccessObserver.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>

#include "tools/cuda_double/memory/device_memory.h"
#include "tools/cuda_double/ptx/access_observer.h"
#include "tools/cuda_double/ptx/run/memory_access.h"

namespace loci::cuda_double {

class AccessRecord {
 public:
  void add(const Warp& warp, LaneMask mask, const LaneAddresses& addresses,
           const MemoryAccess& access);
  // Takes what another worker recorded.
  void merge(AccessRecord& other);
  void report(AccessObserver& observer, const DeviceMemory& memory) const;

 private:
  static constexpr std::uint64_t kPageBytes = 4096;
  static constexpr std::uint64_t kWordBits = 64;
  using Bits = std::array<std::uint64_t, kPageBytes / kWordBits>;

  struct Side {
    Bits touched{};
    Bits weak{};  // not only by strong accesses
    const FunctionCode* function = nullptr;
    std::uint32_t place = 0;
  };
  struct Page {
    Side read;
    Side written;
  };

  void add_bytes(std::uint64_t address, std::uint32_t bytes, bool write, bool strong,
                 const Warp& warp);
  void report_side(AccessObserver& observer, const DeviceMemory& memory, bool written) const;

  std::map<std::uint64_t, std::unique_ptr<Page>> pages_;  // by address / kPageBytes
  std::uint64_t last_number_ = ~std::uint64_t{0};
  Page* last_page_ = nullptr;
};

}  // namespace loci::cuda_double
