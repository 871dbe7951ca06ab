#include "framework/memory/out_of_memory.h"

#include <array>

#include "framework/core/raise.h"

namespace loci::memory {

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  auto value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.2f} {}", value, kUnits[unit]);
}

void raise_out_of_memory(const Allocator& allocator, const MemorySource& source,
                         std::uint64_t asked, const char* name, const std::string& cause) {
  constexpr std::size_t kNames = 10;
  const Stats stats = allocator.stats();
  const std::string message = fmt::format(
      "[memory] {}: no memory for '{}': asked for {} ({} bytes), in use {}, cached {}, free {}; "
      "use smaller batches, drop tensors that are not needed, or place some elsewhere",
      source.place(), name, format_bytes(asked), asked, format_bytes(stats.in_use),
      format_bytes(stats.cached), format_bytes(source.free_bytes()));
  std::string details = cause;
  for (const auto& [live, bytes] : allocator.largest(kNames)) {
    details += fmt::format("{}'{}' {} ({} bytes)", details.empty() ? "" : "\n", live,
                           format_bytes(bytes), bytes);
  }
  throw Error(ErrorCode::kOutOfMemory, message, std::move(details));
}

}  // namespace loci::memory
