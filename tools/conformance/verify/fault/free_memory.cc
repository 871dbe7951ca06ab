#include "tools/conformance/verify/fault/free_memory.h"

namespace loci::verify {

std::uint64_t free_memory_of(const OpenDevice& device) {
  return device.api().mem_info == nullptr ? 0 : device.free_memory();
}

void FreeMemory::note(std::uint64_t before, std::uint64_t behind) {
  ++times_;
  if (behind > before) rose_ = true;
  if (behind >= before) return;
  ++falls_;
  lost_ += before - behind;
}

std::uint64_t FreeMemory::lost() const { return rose_ || 2 * falls_ < times_ ? 0 : lost_; }

}  // namespace loci::verify
