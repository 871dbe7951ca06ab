// Memory that the host cannot touch: public addresses are not canonical, so that whoever
// dereferences one faults at once. Adding offsets to them works.
#pragma once

#include <cstdint>

namespace loci::test {

inline constexpr std::uint64_t kForeignBit = std::uint64_t{1} << 62;

inline void* to_public(void* real) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uint64_t>(real) | kForeignBit);
}
inline void* to_real(const void* address) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uint64_t>(address) & ~kForeignBit);
}

}  // namespace loci::test
