// The clock for durations.
#pragma once

#include <chrono>
#include <cstdint>

namespace loci::core {

// Nanoseconds since some moment of the machine's.
inline std::uint64_t steady_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace loci::core
