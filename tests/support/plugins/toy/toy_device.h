// The device of the toy backend: inline, with foreign memory.
#pragma once

#include <cstdlib>
#include <cstring>
#include <loci/plugin/device.hpp>
#include <mutex>
#include <new>
#include <set>

#include "toy_memory.h"

namespace loci::test {

class ToyPlugin;

class ToyDevice {
 public:
  static sdk::Probe probe(ToyPlugin&) { return {1}; }
  static std::uint32_t count(ToyPlugin&) { return 2; }
  static void describe(ToyPlugin&, std::uint32_t, loci_device_info& info) {
    info.flags = LOCI_DEVICE_INLINE | LOCI_DEVICE_ACCELERATOR;
    info.name = sdk::to_abi("toy");
    info.alignment = 64;
    info.min_chunk = 64;
  }
  ToyDevice(ToyPlugin&, const sdk::Host&, std::uint32_t) {}

  void* mem_alloc(std::uint32_t kind, std::uint64_t bytes, loci_stream*) {
    if (kind != LOCI_MEMORY_DEVICE) throw sdk::Error(LOCI_CODE_UNSUPPORTED, "no pinned memory");
    void* real = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (real == nullptr) throw std::bad_alloc();
    const std::lock_guard lock(mutex_);
    live_.insert(real);
    return to_public(real);
  }
  void mem_free(std::uint32_t, void* pointer, loci_stream*) {
    const std::lock_guard lock(mutex_);
    live_.erase(to_real(pointer));
    std::free(to_real(pointer));
  }
  static void mem_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) {
    free_bytes = total_bytes = std::uint64_t{1} << 30;
  }
  static bool copy(const loci_copy& copy, loci_stream*) {
    const auto end = [](std::uint32_t where, const void* address) {
      return where == LOCI_END_HOST ? const_cast<void*>(address) : to_real(address);
    };
    std::memcpy(end(copy.target_end, copy.target), end(copy.source_end, copy.source),
                copy.row_bytes);
    return true;
  }
  static void fill(void* target, std::uint64_t bytes, const void* pattern, std::uint32_t size,
                   loci_stream*, std::uint64_t) {
    auto* real = static_cast<char*>(to_real(target));
    for (std::uint64_t i = 0; i < bytes; i += size) std::memcpy(real + i, pattern, size);
  }

 private:
  std::mutex mutex_;
  std::set<void*> live_;  // the real addresses, which leak checkers do not see in public ones
};

}  // namespace loci::test
