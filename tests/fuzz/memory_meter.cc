#include "tests/fuzz/memory_meter.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "tests/fuzz/address_sanitizer.h"

namespace loci::fuzz {
namespace {

// Below zero when memory from before is freed.
std::atomic<std::int64_t> held{0};
std::atomic<std::int64_t> highest{0};

void add(std::int64_t bytes) {
  const std::int64_t now = held.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t most = highest.load(std::memory_order_relaxed);
  while (now > most && !highest.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

#ifdef LOCI_FUZZ_ASAN
// The sanitizer keeps watch over how memory is freed, which own operators would end.
void on_allocation(const volatile void*, std::size_t bytes) {
  add(static_cast<std::int64_t>(bytes));
}

void on_free(const volatile void* memory) {
  if (memory == nullptr) return;
  add(-static_cast<std::int64_t>(__sanitizer_get_allocated_size(memory)));
}
#else
std::int64_t size_of(void* memory) { return static_cast<std::int64_t>(malloc_usable_size(memory)); }
#endif

}  // namespace

MemoryMeter::MemoryMeter() {
#ifdef LOCI_FUZZ_ASAN
  static const int kInstalled = __sanitizer_install_malloc_and_free_hooks(on_allocation, on_free);
  if (kInstalled == 0) std::abort();
#endif
  held = 0;
  highest = 0;
}

std::size_t MemoryMeter::peak() const { return static_cast<std::size_t>(highest.load()); }

}  // namespace loci::fuzz

#ifndef LOCI_FUZZ_ASAN
// The other forms call these, except those for over-aligned types, which are not counted.
void* operator new(std::size_t bytes) {
  void* memory = std::malloc(std::max<std::size_t>(bytes, 1));
  if (memory == nullptr) throw std::bad_alloc();
  loci::fuzz::add(loci::fuzz::size_of(memory));
  return memory;
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  loci::fuzz::add(-loci::fuzz::size_of(memory));
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
#endif
