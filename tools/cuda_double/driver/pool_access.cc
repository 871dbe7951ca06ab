#include "tools/cuda_double/driver/pool_access.h"

#include "tools/cuda_double/driver/driver.h"

namespace loci::cuda_double {
namespace {

bool is_known(CUmemAccess_flags flags) {
  return flags == CU_MEM_ACCESS_FLAGS_PROT_NONE || flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
         flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
}

void set_bit(std::uint64_t& bits, int device, bool value) {
  const auto bit = std::uint64_t{1} << device;
  bits = value ? bits | bit : bits & ~bit;
}

}  // namespace

void check_access(Driver& driver, int owner, const CUmemAccessDesc* described, std::size_t count) {
  require(described != nullptr || count == 0, "there are no accesses");
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [location, flags] = described[i];
    require(location.type == CU_MEM_LOCATION_TYPE_DEVICE, "access is of devices");
    static_cast<void>(driver.device(location.id));
    require(is_known(flags), "access is none, to read, or to read and write");
    require(location.id != owner || flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
            "a device keeps access to its own memory");
  }
}

void set_access(PoolAccess& access, const CUmemAccessDesc* described, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [location, flags] = described[i];
    set_bit(access.readers, location.id, flags != CU_MEM_ACCESS_FLAGS_PROT_NONE);
    set_bit(access.writers, location.id, flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  }
}

CUmemAccess_flags flags_of(const PoolAccess& access, int device) {
  if ((access.writers >> device & 1) != 0) return CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  if ((access.readers >> device & 1) != 0) return CU_MEM_ACCESS_FLAGS_PROT_READ;
  return CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

}  // namespace loci::cuda_double
