#include "framework/dispatch/kernel_cache.h"

#include <fmt/format.h>

namespace loci::dispatch {
namespace {

// An entry, its node of the map, and a prepared kernel of a few fields.
constexpr std::uint64_t kKeepingBytes = 1024;

std::string key_of(const Implementation& implementation, const device::Device& device,
                   const OpDesc& op) {
  const bool ranks_only = (implementation.def->flags & LOCI_KERNEL_SHAPE_AGNOSTIC) != 0;
  return fmt::format("{}@{}#{}:{}", implementation.name(), device.place().to_string(),
                     static_cast<const void*>(implementation.def), op.signature(ranks_only));
}

std::uint64_t bytes_of(const Preparation& preparation) {
  return preparation.kernel != nullptr ? preparation.kernel->memory_bytes()
                                       : preparation.declined.size();
}

}  // namespace

Preparation KernelCache::get(const Implementation& implementation, device::Device& device,
                             const OpDesc& op) {
  std::string key = key_of(implementation, device, op);
  Entries dropped;  // destroyed once the lock is given back
  const std::lock_guard lock(mutex_);
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    entries_.splice(entries_.begin(), entries_, known->second);
    return known->second->preparation;
  }
  Preparation preparation = prepare_kernel(implementation, device, op);
  const std::uint64_t bytes = kKeepingBytes + key.size() + bytes_of(preparation);
  Entries made;
  made.push_back({std::move(key), preparation, bytes});
  by_key_.emplace(made.front().key, made.begin());
  entries_.splice(entries_.begin(), made);
  bytes_ += bytes;
  shrink(&dropped);
  return preparation;
}

void KernelCache::shrink(Entries* dropped) {
  for (auto next = entries_.end(); bytes_ > most_bytes_ && next != entries_.begin();) {
    const auto entry = std::prev(next);
    // Whoever has it can pass it on; nobody else can get it while this holds the lock.
    if (entry->preparation.kernel.use_count() > 1) {
      next = entry;
      continue;
    }
    by_key_.erase(entry->key);
    bytes_ -= entry->bytes;
    dropped->splice(dropped->end(), entries_, entry);
  }
}

std::size_t KernelCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

std::uint64_t KernelCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace loci::dispatch
