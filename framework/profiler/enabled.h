// The test whether anything is recorded in the current context. Every scope first tests one word of
// the process: whether any context records.
#pragma once

#include <loci/abi/profile.h>

#include <atomic>
#include <cstdint>
#include <loci/config.hpp>

namespace loci::profiler {

enum class Level : std::uint8_t {
  kOff = LOCI_PROFILE_LEVEL_OFF,
  kOp = LOCI_PROFILE_LEVEL_OP,
  kDetail = LOCI_PROFILE_LEVEL_DETAIL
};

// False leaves out all that scopes do.
inline constexpr bool kIsBuiltIn = LOCI_WITH_PROFILER != 0;

// Bits 0 to 3 the level, bit 4 whether live ranges are wanted, from bit 8 the epoch.
inline constexpr std::uint32_t kLevelMask = 0xF;
inline constexpr std::uint32_t kLiveBit = 0x10;
inline constexpr std::uint32_t kEpochShift = 8;

namespace detail {
inline std::atomic<std::uint32_t> recording_contexts{0};
// Returns the word of the current context.
std::uint32_t context_word(std::memory_order order) noexcept;
}  // namespace detail

inline std::uint32_t enabled_word(std::memory_order order = std::memory_order_relaxed) noexcept {
  if constexpr (!kIsBuiltIn) return 0;
  if (detail::recording_contexts.load(order) == 0) [[likely]]
    return 0;
  return detail::context_word(order);
}
inline bool records_at(Level level) noexcept {
  return (enabled_word() & kLevelMask) >= static_cast<std::uint32_t>(level);
}

}  // namespace loci::profiler
