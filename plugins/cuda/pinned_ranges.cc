#include "pinned_ranges.h"

#include <iterator>
#include <mutex>

namespace loci::cuda {
namespace {

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

void PinnedRanges::add(const void* first, std::uint64_t bytes) {
  const std::unique_lock lock(mutex_);
  bytes_[address_of(first)] = bytes;
}

void PinnedRanges::remove(const void* first) {
  const std::unique_lock lock(mutex_);
  bytes_.erase(address_of(first));
}

bool PinnedRanges::contains(const void* first, std::uint64_t bytes) const {
  const std::shared_lock lock(mutex_);
  const auto after = bytes_.upper_bound(address_of(first));
  if (after == bytes_.begin()) return false;
  const auto& [begin, size] = *std::prev(after);
  const std::uint64_t offset = address_of(first) - begin;
  return offset <= size && bytes <= size - offset;
}

}  // namespace loci::cuda
