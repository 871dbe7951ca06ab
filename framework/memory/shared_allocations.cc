#include "framework/memory/shared_allocations.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "framework/core/raise.h"

namespace loci::memory {

SharedAllocations::SharedAllocations(device::Device& device)
    : device_(device),
      most_(device.info().max_allocations),
      step_(std::lcm(device.info().alignment, device.info().min_chunk)) {}

std::uint64_t SharedAllocations::whole(std::uint64_t bytes) const {
  return (bytes + step_ - 1) / step_ * step_;
}

void* SharedAllocations::acquire(std::uint64_t bytes) {
  const std::uint64_t needed = whole(bytes);
  const std::lock_guard lock(mutex_);
  void* piece = take_piece(needed);
  if (piece != nullptr) return piece;
  add_allocation(needed);
  return take_piece(needed);
}

// The first that is large enough, at the lowest address.
void* SharedAllocations::take_piece(std::uint64_t bytes) {
  for (auto& [data, allocation] : allocations_) {
    auto& free = allocation.free;
    const auto found = std::find_if(free.begin(), free.end(),
                                    [&](const auto& range) { return range.second >= bytes; });
    if (found == free.end()) continue;
    const auto [offset, length] = *found;
    if (length > bytes) free.emplace_hint(found, offset + bytes, length - bytes);
    free.erase(offset);
    unused_ -= bytes;
    return data + offset;
  }
  return nullptr;
}

void SharedAllocations::add_allocation(std::uint64_t bytes) {
  if (allocations_.size() >= most_) {
    core::raise(
        ErrorCode::kOutOfMemory,
        "[memory] {}: all {} allocations that the device has at a time are in use, and none "
        "of them has {} bytes left",
        device_.place().to_string(), most_, bytes);
  }
  std::uint64_t size = std::max(bytes, due_part());
  void* data = nullptr;
  try {
    data = device_.allocate(size, nullptr);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kOutOfMemory || size == bytes) throw;
    size = bytes;
    data = device_.allocate(size, nullptr);
  }
  try {
    allocations_.emplace(static_cast<char*>(data), Allocation{size, {{0, size}}});
  } catch (...) {
    device_.deallocate(data, nullptr);
    throw;
  }
  held_ += size;
  unused_ += size;
}

// Half of an equal part of what is free, as sizes differ, and all of it for the last one. Of a
// device that does not count its memory, as much as is held already: then few allocations come to
// any amount.
std::uint64_t SharedAllocations::due_part() const {
  const std::uint64_t free = device_.free_memory();
  if (free == 0) return held_;
  const std::uint64_t left = most_ - allocations_.size();
  return (left == 1 ? free : free / (2 * left)) / step_ * step_;
}

SharedAllocations::Allocations::iterator SharedAllocations::of(const void* pointer) {
  return std::prev(allocations_.upper_bound(const_cast<char*>(static_cast<const char*>(pointer))));
}

void SharedAllocations::release(void* pointer, std::uint64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = of(pointer);
  auto& free = found->second.free;
  std::uint64_t length = whole(bytes);
  auto offset = static_cast<std::uint64_t>(static_cast<char*>(pointer) - found->first);
  unused_ += length;
  auto next = free.lower_bound(offset);
  if (next != free.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      offset = before->first;
      length += before->second;
      free.erase(before);
    }
  }
  if (next != free.end() && offset + length == next->first) {
    length += next->second;
    free.erase(next);
  }
  free.emplace(offset, length);
  if (length < found->second.bytes) return;
  held_ -= length;
  unused_ -= length;
  device_.deallocate(found->first, nullptr);
  allocations_.erase(found);
}

std::uint64_t SharedAllocations::free_bytes() const noexcept {
  const std::uint64_t free = device_.free_memory();
  const std::lock_guard lock(mutex_);
  return free == 0 ? 0 : free + unused_;
}

}  // namespace loci::memory
