#include "plugins/sim/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <loci/plugin/error.hpp>

#include "plugins/sim/red_zone.h"

namespace loci::sim {
namespace {

constexpr std::uint64_t kReservedPage = 4096;
// Addresses cost nothing, and more of them than memory keeps fragments from mattering.
constexpr std::uint64_t kAddressesPerByte = 4;
constexpr std::uint64_t kMoreAddresses = std::uint64_t{16} << 20;

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::uint64_t rounded(std::uint64_t bytes) {
  return round_up(std::max<std::uint64_t>(bytes, 1), kAlignment);
}

}  // namespace

DeviceMemory::DeviceMemory(const Settings& settings, std::string place)
    : place_(std::move(place)),
      limit_(settings.memory),
      zone_(settings.red_zone),
      poison_(settings.poison),
      memory_(round_up(limit_ * kAddressesPerByte + kMoreAddresses, kReservedPage)),
      free_(memory_.bytes()) {}

std::uint64_t DeviceMemory::block_bytes(std::uint64_t bytes) const {
  return rounded(bytes) + 2 * zone_;
}

void* DeviceMemory::allocate(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > limit_ || rounded(bytes) > limit_ - used_) {
    throw sdk::Error(
        LOCI_CODE_OUT_OF_MEMORY,
        fmt::format("[sim] {}: {} bytes do not fit, {} of {} are in use; free some, or raise the "
                    "setting memory",
                    place_, bytes, used_, limit_));
  }
  const std::optional<std::uint64_t> block = free_.take(block_bytes(bytes));
  if (!block) {
    throw sdk::Error(LOCI_CODE_OUT_OF_MEMORY,
                     fmt::format("[sim] {}: no {} bytes in one piece are free, though only {} of "
                                 "{} are in use; free neighbours, or lower the setting red_zone",
                                 place_, bytes, used_, limit_));
  }
  const std::uint64_t offset = *block + zone_;
  paint_red_zone(memory_.alias(*block), zone_);
  // From the very end, so that one byte too many is found.
  paint_red_zone(memory_.alias(offset + bytes), rounded(bytes) - bytes + zone_);
  try {
    allocations_[offset] = {count_ + 1, bytes};
  } catch (...) {
    free_.give(*block, block_bytes(bytes));
    throw;
  }
  ++count_;
  used_ += rounded(bytes);
  return memory_.address(offset);
}

std::uint64_t DeviceMemory::begin_free(const void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto found = memory_.contains(pointer, 0) ? allocations_.find(memory_.offset(pointer))
                                                  : allocations_.end();
  if (found == allocations_.end()) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                     fmt::format("[sim] {}: {} is no allocation that could be freed; free what "
                                 "mem_alloc gave, once",
                                 place_, fmt::ptr(pointer)));
  }
  if (found->second.freed) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                     fmt::format("[sim] {} is freed twice; free it once", name(*found)));
  }
  found->second.freed = true;
  ++pending_;
  return found->second.bytes;
}

void DeviceMemory::finish_free(const void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(memory_.offset(pointer));
  const std::optional<std::string> damaged = damage(*found);
  const auto [offset, allocation] = *found;
  if (poison_) std::fill_n(memory_.alias(offset), allocation.bytes, kPoison);
  allocations_.erase(found);
  used_ -= rounded(allocation.bytes);
  --pending_;
  free_.give(offset - zone_, block_bytes(allocation.bytes));
  if (damaged) throw sdk::Error(LOCI_CODE_DATA_LOSS, *damaged);
}

bool DeviceMemory::has_pending_frees() const {
  const std::lock_guard lock(mutex_);
  return pending_ > 0;
}

std::byte* DeviceMemory::alias(const void* pointer, std::uint64_t bytes,
                               std::string_view what) const {
  const auto refuse = [&](const std::string& why) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                     fmt::format("[sim] {}: {} is [{}, {} bytes), which {}", place_, what,
                                 fmt::ptr(pointer), bytes, why));
  };
  if (!memory_.contains(pointer, bytes)) {
    refuse("is not memory of this device; copy it there, or give the device that has it");
  }
  const std::uint64_t offset = memory_.offset(pointer);
  const std::lock_guard lock(mutex_);
  const auto found = holder(offset);
  if (found == allocations_.end()) refuse("is not allocated");
  if (found->second.freed) refuse(fmt::format("is freed: {}", name(*found)));
  if (offset + bytes > found->first + found->second.bytes) {
    refuse(fmt::format("ends behind {}", name(*found)));
  }
  return memory_.alias(offset);
}

DeviceMemory::Allocations::const_iterator DeviceMemory::holder(std::uint64_t offset) const {
  const auto after = allocations_.upper_bound(offset);
  if (after == allocations_.begin()) return allocations_.end();
  const auto found = std::prev(after);
  return offset <= found->first + found->second.bytes ? found : allocations_.end();
}

std::uint64_t DeviceMemory::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

std::string DeviceMemory::name(const Allocations::value_type& entry) const {
  return fmt::format("allocation {} of {} ({} bytes at {})", entry.second.number, place_,
                     entry.second.bytes, fmt::ptr(memory_.address(entry.first)));
}

std::optional<std::string> DeviceMemory::damage(const Allocations::value_type& entry) const {
  const auto& [offset, allocation] = entry;
  const std::uint64_t end = offset + allocation.bytes;
  if (const auto at = find_damage(memory_.alias(offset - zone_), zone_)) {
    return fmt::format("[sim] {} bytes before {} something wrote; look for an index below 0",
                       zone_ - *at, name(entry));
  }
  const std::uint64_t behind = rounded(allocation.bytes) - allocation.bytes + zone_;
  if (const auto at = find_damage(memory_.alias(end), behind)) {
    return fmt::format(
        "[sim] {} bytes behind {} something wrote; look for an index that is too "
        "large",
        *at, name(entry));
  }
  return std::nullopt;
}

std::vector<std::string> DeviceMemory::findings() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> found;
  for (const auto& entry : allocations_) {
    if (const auto damaged = damage(entry)) found.push_back(*damaged);
    found.push_back(
        fmt::format("[sim] {} was not freed before the device was closed; free it", name(entry)));
  }
  return found;
}

}  // namespace loci::sim
