// Tells AddressSanitizer which bytes of a cached segment are live; nothing in other builds.
#pragma once

#include <cstdint>

#include "framework/core/sanitizer.h"

#ifdef LOCI_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace loci::memory {

inline void poison([[maybe_unused]] const void* data, [[maybe_unused]] std::uint64_t bytes) {
#ifdef LOCI_ASAN
  __asan_poison_memory_region(data, bytes);
#endif
}

inline void unpoison([[maybe_unused]] const void* data, [[maybe_unused]] std::uint64_t bytes) {
#ifdef LOCI_ASAN
  __asan_unpoison_memory_region(data, bytes);
#endif
}

}  // namespace loci::memory
