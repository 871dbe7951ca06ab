// The digest stands for the part of the environment that a plugin may act on.
#pragma once

#include <cstdint>
#include <string_view>

namespace loci::runner {

// FNV-1a, 64 bits: the same in every process, and no secret. `before` is that of what comes before.
inline constexpr std::uint64_t kNothingBefore = 0xcbf29ce484222325U;
std::uint64_t fnv1a(std::string_view text, std::uint64_t before = kNothingBefore);

// Digests the variables that set up Loci's plugins, the dynamic linker and the drivers of devices,
// except those that only say what is logged and which plugins there are. `environment` is as
// environ; the order of its entries does not matter.
std::uint64_t environment_digest(const char* const* environment);

}  // namespace loci::runner
