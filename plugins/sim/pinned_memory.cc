#include "plugins/sim/pinned_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <loci/plugin/error.hpp>
#include <new>

namespace loci::sim {
namespace {

constexpr std::uint64_t kPinnedPage = 4096;

std::uintptr_t number_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

[[noreturn]] void refuse_range(const std::string& message) {
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, message);
}

}  // namespace

PinnedMemory::~PinnedMemory() {
  for (const auto& [first, range] : ranges_) {
    if (range.owned) std::free(reinterpret_cast<void*>(first));
  }
}

void* PinnedMemory::allocate(std::uint64_t bytes) {
  if (bytes > PTRDIFF_MAX) throw std::bad_alloc();
  const std::uint64_t rounded =
      (std::max<std::uint64_t>(bytes, 1) + kPinnedPage - 1) / kPinnedPage * kPinnedPage;
  void* pointer = std::aligned_alloc(kPinnedPage, rounded);
  if (pointer == nullptr) throw std::bad_alloc();
  const std::lock_guard lock(mutex_);
  insert(number_of(pointer), {bytes, /*owned=*/true});
  return pointer;
}

std::uint64_t PinnedMemory::begin_free(const void* pointer) {
  const std::lock_guard lock(mutex_);
  return take(number_of(pointer), /*owned=*/true).bytes;
}

void PinnedMemory::finish_free(void* pointer) { std::free(pointer); }

void PinnedMemory::add(const void* pointer, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  insert(number_of(pointer), {bytes, /*owned=*/false});
}

void PinnedMemory::remove(const void* pointer) {
  const std::lock_guard lock(mutex_);
  take(number_of(pointer), /*owned=*/false);
}

bool PinnedMemory::covers(const void* pointer, std::uint64_t bytes) const {
  const std::uintptr_t first = number_of(pointer);
  const std::lock_guard lock(mutex_);
  const auto after = ranges_.upper_bound(first);
  if (after == ranges_.begin()) return false;
  const auto& [start, range] = *std::prev(after);
  return first - start <= range.bytes && bytes <= range.bytes - (first - start);
}

void PinnedMemory::insert(std::uintptr_t first, Range range) {
  const auto next = ranges_.lower_bound(first);
  const bool meets_next = next != ranges_.end() && next->first < first + range.bytes;
  const bool meets_previous =
      next != ranges_.begin() && std::prev(next)->first + std::prev(next)->second.bytes > first;
  const bool same_start = next != ranges_.end() && next->first == first;
  if (meets_next || meets_previous || same_start) {
    refuse_range(fmt::format("[sim] [{:#x}, {} bytes) overlaps memory that is pinned; pin it once",
                             first, range.bytes));
  }
  ranges_[first] = range;
}

PinnedMemory::Range PinnedMemory::take(std::uintptr_t first, bool owned) {
  const auto found = ranges_.find(first);
  if (found == ranges_.end() || found->second.owned != owned) {
    refuse_range(
        fmt::format("[sim] {:#x} is not the start of {}; give it back once", first,
                    owned ? "pinned memory that mem_alloc gave" : "registered host memory"));
  }
  const Range range = found->second;
  ranges_.erase(found);
  return range;
}

}  // namespace loci::sim
