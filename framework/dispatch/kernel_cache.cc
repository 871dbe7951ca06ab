#include "framework/dispatch/kernel_cache.h"

#include <iterator>
#include <string>
#include <utility>

#include "framework/core/environment.h"
#include "framework/core/key_bytes.h"
#include "framework/core/steady_time.h"
#include "framework/core/thread_team.h"

namespace loci::dispatch {
namespace {

constexpr std::uint64_t kUsualBytes = std::uint64_t{32} << 20;
// An entry, its node of the map, and a prepared kernel of a few fields.
constexpr std::uint64_t kKeepingBytes = 1024;

// Bytes. Kernels lay their work out for the threads that there are.
std::string key_of(const Implementation& implementation, const device::Device& device,
                   const OpDesc& op) {
  const bool ranks_only = (implementation.def->flags & LOCI_KERNEL_SHAPE_AGNOSTIC) != 0;
  std::string key = op.signature(ranks_only);
  core::append_text(implementation.library->plugin->id(), &key);
  // Not its place: one that was reopened there knows nothing of the kernels of the one before.
  core::append_bytes(&device, &key);
  core::append_bytes(implementation.def, &key);
  core::append_bytes(core::parallel_width(), &key);
  return key;
}

std::uint64_t bytes_of(const Preparation& preparation) {
  return preparation.kernel != nullptr ? preparation.kernel->memory_bytes()
                                       : preparation.declined.size();
}

}  // namespace

std::uint64_t most_kernel_bytes() {
  return core::configured_number("KERNEL_CACHE").value_or(kUsualBytes);
}

Preparation KernelCache::get(const Implementation& implementation, device::Device& device,
                             const OpDesc& op) {
  std::string key = key_of(implementation, device, op);
  Entries::Entries dropped;  // destroyed once the lock is given back
  const std::lock_guard lock(mutex_);
  if (const Kept* known = entries_.find(key)) return known->preparation;
  const std::uint64_t start = core::steady_ns();
  Preparation preparation = prepare_kernel(implementation, device, op);
  PreparingWork& work = preparing_[implementation.name()];
  ++(preparation.kernel != nullptr ? work.count : work.declined);
  work.nanoseconds += core::steady_ns() - start;
  const std::uint64_t bytes = kKeepingBytes + key.size() + bytes_of(preparation);
  entries_.insert(std::move(key), {preparation, bytes, &device});
  bytes_ += bytes;
  shrink(&dropped);
  return preparation;
}

void KernelCache::forget(const device::Device& device) {
  Entries::Entries dropped;
  const std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (entry->value.device != &device) {
      ++entry;
      continue;
    }
    bytes_ -= entry->value.bytes;
    entry = entries_.remove(entry, &dropped);
  }
}

void KernelCache::trim() {
  Entries::Entries dropped;
  const std::lock_guard lock(mutex_);
  shrink(&dropped);
}

void KernelCache::shrink(Entries::Entries* dropped) {
  for (auto next = entries_.end(); bytes_ > most_bytes_ && next != entries_.begin();) {
    const auto entry = std::prev(next);
    // Whoever has it can pass it on; nobody else can get it while this holds the lock.
    if (entry->value.preparation.kernel.use_count() > 1) {
      next = entry;
      continue;
    }
    bytes_ -= entry->value.bytes;
    next = entries_.remove(entry, dropped);
  }
}

std::size_t KernelCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

std::map<std::string, PreparingWork> KernelCache::preparing() const {
  const std::lock_guard lock(mutex_);
  return preparing_;
}

std::uint64_t KernelCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace loci::dispatch
