#include "tools/cuda_double/memory/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace loci::cuda_double {
namespace {

constexpr std::uint64_t kGranule = DeviceMemory::kAlignment;
constexpr std::uint64_t kMostSlots = std::uint64_t{1} << 22;
// An allocation is named as a neighbour of a stray address up to this far away.
constexpr std::uint64_t kNear = std::uint64_t{1} << 20;

// The granule behind an allocation belongs to nobody, so that a write past its end is no write into
// the next one.
std::uint64_t footprint(std::uint64_t bytes) {
  return (std::max<std::uint64_t>(bytes, 1) + kGranule - 1) / kGranule * kGranule + kGranule;
}

std::string owner(const Allocation& allocation) {
  return fmt::format("{} ({} bytes, {} of device {}, made by {}{}{})", allocation.id,
                     allocation.bytes, memory_kind_name(allocation.kind), allocation.device,
                     allocation.made_by, allocation.freed ? ", freed by " : "",
                     allocation.freed_by);
}

}  // namespace

// The atomic members are what readers without the lock look at.
struct DeviceMemory::Slot {
  std::atomic<std::uint64_t> base{0};
  std::atomic<std::uint64_t> end{0};
  std::atomic<bool> live{false};
  std::atomic<std::int16_t> device{0};
  std::atomic<MemoryKind> kind{MemoryKind::kDevice};
  std::atomic<std::uint64_t> readers{0};  // of memory of a pool: devices, a bit each
  std::atomic<std::uint64_t> writers{0};
  Allocation allocation;

  [[nodiscard]] bool covers(std::uint64_t address, std::uint64_t bytes) const noexcept {
    const std::uint64_t first = base.load(std::memory_order_relaxed);
    const std::uint64_t last = end.load(std::memory_order_relaxed);
    return live.load(std::memory_order_relaxed) && address >= first && address <= last &&
           bytes <= last - address;
  }
};

DeviceMemory::DeviceMemory() : DeviceMemory(Options()) {}

DeviceMemory::DeviceMemory(const Options& options)
    : options_(options),
      memory_(options.reserved_bytes),
      granules_(options.reserved_bytes / kGranule * sizeof(std::uint32_t)),
      slot_table_(kMostSlots * sizeof(Slot*)) {
  if (options_.track_writes) shadow_ = MappedRange(options.reserved_bytes);
  first_ = reinterpret_cast<std::uint64_t>(memory_.data());
  free_.emplace(first_, options_.reserved_bytes);
}

DeviceMemory::~DeviceMemory() = default;

DeviceMemory::Slot*& DeviceMemory::table_entry(SlotNumber slot) const {
  return reinterpret_cast<Slot**>(slot_table_.data())[slot];
}

std::atomic<std::uint32_t>& DeviceMemory::granule(std::uint64_t address) const noexcept {
  auto* table = reinterpret_cast<std::atomic<std::uint32_t>*>(granules_.data());
  return table[(address - first_) / kGranule];
}

void DeviceMemory::point_granules(std::uint64_t base, std::uint64_t bytes, std::uint32_t entry) {
  const std::uint64_t count = footprint(bytes) / kGranule - 1;
  for (std::uint64_t i = 0; i < count; ++i) {
    granule(base + i * kGranule).store(entry, std::memory_order_release);
  }
}

std::uint64_t DeviceMemory::take_range(std::uint64_t bytes) {
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    if (range->second < bytes) continue;
    const std::uint64_t base = range->first;
    const std::uint64_t left = range->second - bytes;
    free_.erase(range);
    if (left > 0) free_.emplace(base + bytes, left);
    return base;
  }
  return 0;
}

void DeviceMemory::give_back(std::uint64_t base, std::uint64_t bytes) {
  auto after = free_.lower_bound(base);
  if (after != free_.end() && after->first == base + bytes) {
    bytes += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == base) {
      before->second += bytes;
      return;
    }
  }
  free_.emplace(base, bytes);
}

DeviceMemory::SlotNumber DeviceMemory::new_slot(Allocation allocation) {
  SlotNumber number = 0;
  if (unused_slots_.empty()) {
    if (slots_.size() == kMostSlots) throw std::bad_alloc();
    number = static_cast<SlotNumber>(slots_.size());
    table_entry(number) = &slots_.emplace_back();
  } else {
    number = unused_slots_.back();
    unused_slots_.pop_back();
  }
  Slot& slot = *table_entry(number);
  allocation.id = next_id_++;
  slot.base.store(allocation.base, std::memory_order_relaxed);
  slot.end.store(allocation.end(), std::memory_order_relaxed);
  slot.device.store(static_cast<std::int16_t>(allocation.device), std::memory_order_relaxed);
  slot.kind.store(allocation.kind, std::memory_order_relaxed);
  slot.readers.store(0, std::memory_order_relaxed);
  slot.writers.store(0, std::memory_order_relaxed);
  slot.allocation = std::move(allocation);
  slot.live.store(true, std::memory_order_release);
  return number;
}

std::uint64_t DeviceMemory::allocate(std::uint64_t bytes, MemoryKind kind, int device,
                                     std::string made_by) {
  if (bytes > options_.reserved_bytes) throw std::bad_alloc();
  std::uint64_t base = 0;
  {
    const std::unique_lock lock(mutex_);
    base = take_range(footprint(bytes));
    if (base == 0) {
      shrink_quarantine(0);
      base = take_range(footprint(bytes));
    }
    if (base == 0) throw std::bad_alloc();
    Allocation allocation{
        .base = base, .bytes = bytes, .room = bytes, .kind = kind, .device = device};
    allocation.made_by = std::move(made_by);
    point_granules(base, bytes, new_slot(std::move(allocation)) + 1);
  }
  if (options_.poison) std::memset(memory_.data() + (base - first_), kPoison, bytes);
  const bool is_host = kind == MemoryKind::kPinned || kind == MemoryKind::kRegistered;
  mark(base, bytes, is_host ? ByteState::kWritten : ByteState::kUnwritten);
  return base;
}

DeviceMemory::SlotNumber DeviceMemory::live_base(std::uint64_t address) const {
  using Kind = MemoryError::Kind;
  const std::uint32_t entry = in_range(address) ? granule(address).load() : 0;
  if (entry == 0) throw MemoryError(Kind::kOutside, describe_neighbours(address));
  const Slot& slot = *table_entry(entry - 1);
  const Allocation& allocation = slot.allocation;
  if (allocation.freed) {
    throw MemoryError(Kind::kFreed, fmt::format("freed already: {}", owner(allocation)));
  }
  if (allocation.base != address) {
    throw MemoryError(Kind::kNotABase, fmt::format("byte {} of allocation {}, not its base",
                                                   address - allocation.base, owner(allocation)));
  }
  return entry - 1;
}

void DeviceMemory::free(std::uint64_t address, std::string freed_by) {
  const std::unique_lock lock(mutex_);
  const SlotNumber number = live_base(address);
  Slot& slot = *table_entry(number);
  slot.live.store(false, std::memory_order_release);
  slot.allocation.freed = true;
  slot.allocation.freed_by = std::move(freed_by);
  memory_.release(address - first_, slot.allocation.room);
  if (options_.track_writes) shadow_.release(address - first_, slot.allocation.room);
  quarantine_.push_back(number);
  quarantined_bytes_ += footprint(slot.allocation.room);
  shrink_quarantine(options_.quarantine_bytes);
}

void DeviceMemory::shrink_quarantine(std::uint64_t most) {
  const auto is_too_much = [&] {
    return quarantined_bytes_ > most || quarantine_.size() > options_.quarantine_allocations;
  };
  while (!quarantine_.empty() && is_too_much()) {
    const SlotNumber number = quarantine_.front();
    quarantine_.pop_front();
    const Allocation& allocation = table_entry(number)->allocation;
    quarantined_bytes_ -= footprint(allocation.room);
    point_granules(allocation.base, allocation.room, 0);
    give_back(allocation.base, footprint(allocation.room));
    unused_slots_.push_back(number);
  }
}

void DeviceMemory::check_free_of_others(std::uint64_t base, std::uint64_t bytes) const {
  const bool in_memory = base < first_ + options_.reserved_bytes && first_ < base + bytes;
  auto next = registered_.lower_bound(base);
  const bool hits_next = next != registered_.end() && next->first < base + bytes;
  const bool hits_previous =
      next != registered_.begin() && table_entry(std::prev(next)->second)->allocation.end() > base;
  if (!in_memory && !hits_next && !hits_previous) return;
  throw MemoryError(
      MemoryError::Kind::kOverlaps,
      fmt::format("{} bytes at {:#x} overlap memory that is page-locked already", bytes, base));
}

void DeviceMemory::register_host(std::uint64_t base, std::uint64_t bytes, int device,
                                 std::string made_by) {
  const std::unique_lock lock(mutex_);
  check_free_of_others(base, bytes);
  Allocation allocation{
      .base = base, .bytes = bytes, .kind = MemoryKind::kRegistered, .device = device};
  allocation.made_by = std::move(made_by);
  registered_.emplace(base, new_slot(std::move(allocation)));
}

void DeviceMemory::unregister_host(std::uint64_t base, std::string freed_by) {
  const std::unique_lock lock(mutex_);
  const auto found = registered_.find(base);
  if (found == registered_.end()) {
    throw MemoryError(MemoryError::Kind::kNotABase,
                      fmt::format("{:#x} is not the base of registered host memory", base));
  }
  Slot& slot = *table_entry(found->second);
  slot.live.store(false, std::memory_order_release);
  slot.allocation.freed = true;
  slot.allocation.freed_by = std::move(freed_by);
  unused_slots_.push_back(found->second);
  registered_.erase(found);
}

const DeviceMemory::Slot* DeviceMemory::registered_at(std::uint64_t address) const noexcept {
  const std::shared_lock lock(mutex_);
  auto after = registered_.upper_bound(address);
  if (after == registered_.begin()) return nullptr;
  const Slot* slot = table_entry(std::prev(after)->second);
  return address < slot->allocation.end() ? slot : nullptr;
}

const DeviceMemory::Slot* DeviceMemory::slot_at(std::uint64_t address) const noexcept {
  if (!in_range(address)) return registered_at(address);
  const std::uint32_t entry = granule(address).load(std::memory_order_acquire);
  return entry == 0 ? nullptr : table_entry(entry - 1);
}

std::optional<Allocation> DeviceMemory::find(std::uint64_t address) const {
  const Slot* slot = slot_at(address);
  if (slot == nullptr) return std::nullopt;
  const std::shared_lock lock(mutex_);
  const Allocation& found = slot->allocation;
  const bool inside = address >= found.base && (address < found.end() || address == found.base);
  return inside ? std::optional(found) : std::nullopt;
}

std::vector<Allocation> DeviceMemory::live() const {
  const std::shared_lock lock(mutex_);
  std::vector<Allocation> result;
  for (const Slot& slot : slots_) {
    if (slot.live.load()) result.push_back(slot.allocation);
  }
  std::sort(result.begin(), result.end(),
            [](const Allocation& a, const Allocation& b) { return a.id < b.id; });
  return result;
}

bool DeviceMemory::is_live(std::uint64_t address, std::uint64_t bytes) const noexcept {
  const Slot* slot = slot_at(address);
  return slot != nullptr && slot->covers(address, bytes);
}

DeviceMemory::Extent DeviceMemory::extent(std::uint64_t address) const noexcept {
  const Slot* slot = slot_at(address);
  if (slot == nullptr || !slot->covers(address, 1)) return {};
  return {slot->base.load(std::memory_order_relaxed), slot->end.load(std::memory_order_relaxed),
          slot->device.load(std::memory_order_relaxed), slot->kind.load(std::memory_order_relaxed)};
}

void DeviceMemory::resize(std::uint64_t base, std::uint64_t bytes) {
  const std::unique_lock lock(mutex_);
  Slot& slot = *table_entry(live_base(base));
  if (bytes > slot.allocation.room) throw std::bad_alloc();
  slot.allocation.bytes = bytes;
  slot.end.store(slot.allocation.end(), std::memory_order_relaxed);
}

void DeviceMemory::set_access(std::uint64_t base, const PoolAccess& access) {
  const std::unique_lock lock(mutex_);
  Slot& slot = *table_entry(live_base(base));
  slot.readers.store(access.readers, std::memory_order_relaxed);
  slot.writers.store(access.writers, std::memory_order_relaxed);
}

bool DeviceMemory::may_use(std::uint64_t address, const MemoryUser& user,
                           bool writes) const noexcept {
  const Slot* slot = slot_at(address);
  if (slot == nullptr) return false;
  const int owner = slot->device.load(std::memory_order_relaxed);
  const auto has = [](std::uint64_t devices, int device) { return (devices >> device & 1) != 0; };
  switch (slot->kind.load(std::memory_order_relaxed)) {
    case MemoryKind::kPinned:
    case MemoryKind::kRegistered: return true;
    case MemoryKind::kPooled: {
      const auto& allowed = writes ? slot->writers : slot->readers;
      return owner == user.device || has(allowed.load(std::memory_order_relaxed), user.device);
    }
    default: return owner == user.device || has(user.peers, owner);
  }
}

void DeviceMemory::check(std::uint64_t address, std::uint64_t bytes) const {
  if (is_live(address, bytes)) return;
  const std::optional<Allocation> found = find(address);
  if (found && found->freed) {
    throw MemoryError(MemoryError::Kind::kFreed, fmt::format("{} bytes at {:#x} are freed: {}",
                                                             bytes, address, describe(address)));
  }
  throw MemoryError(MemoryError::Kind::kOutside,
                    fmt::format("{} bytes at {:#x} are not within one allocation: {}", bytes,
                                address, describe(address)));
}

std::string DeviceMemory::describe(std::uint64_t address) const {
  const Slot* slot = slot_at(address);
  const std::shared_lock lock(mutex_);
  const bool inside = slot != nullptr && address < slot->allocation.end();
  if (!inside) return describe_neighbours(address);
  const Allocation& allocation = slot->allocation;
  return fmt::format("byte {} of allocation {}", address - allocation.base, owner(allocation));
}

const Allocation* DeviceMemory::neighbour(std::uint64_t address, std::uint64_t step) const {
  for (std::uint64_t moved = 0; moved <= kNear; moved += kGranule) {
    address += moved == 0 ? 0 : step;
    if (!in_range(address)) return nullptr;
    const std::uint32_t entry = granule(address).load();
    if (entry != 0) return &table_entry(entry - 1)->allocation;
  }
  return nullptr;
}

std::string DeviceMemory::describe_neighbours(std::uint64_t address) const {
  if (address < 65536) return "no allocation: as good as a null pointer";
  const Allocation* before = neighbour(address, 0 - kGranule);
  const Allocation* after = neighbour(address + kGranule, kGranule);
  const std::uint64_t past = before == nullptr ? ~std::uint64_t{0} : address - before->end();
  const std::uint64_t ahead = after == nullptr ? ~std::uint64_t{0} : after->base - address;
  if (before == nullptr && after == nullptr) return "no allocation is near";
  if (past <= ahead) {
    return fmt::format("{} bytes past the end of allocation {}", past, owner(*before));
  }
  return fmt::format("{} bytes before allocation {}", ahead, owner(*after));
}

void DeviceMemory::mark(std::uint64_t address, std::uint64_t bytes, ByteState state) {
  std::uint8_t* states = states_at(address);
  if (states != nullptr) std::memset(states, static_cast<int>(state), bytes);
}

void DeviceMemory::copy_states(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
  std::uint8_t* target = states_at(to);
  if (target == nullptr) return;
  const std::uint8_t* source = states_at(from);
  if (source == nullptr) {
    mark_written(to, bytes);
  } else {
    std::memmove(target, source, bytes);
  }
}

std::optional<std::uint64_t> DeviceMemory::first_not_written(std::uint64_t address,
                                                             std::uint64_t bytes) const {
  const std::uint8_t* states = states_at(address);
  if (states == nullptr) return std::nullopt;
  const std::uint8_t* end = states + bytes;
  const std::uint8_t* found = std::find_if(states, end, [](std::uint8_t state) {
    return state != static_cast<std::uint8_t>(ByteState::kWritten);
  });
  return found == end ? std::nullopt
                      : std::optional(address + static_cast<std::uint64_t>(found - states));
}

}  // namespace loci::cuda_double
