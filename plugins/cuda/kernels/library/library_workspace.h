// Workspaces as NVIDIA's libraries want them, which the host aligns less.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>

namespace loci::cuda {

inline constexpr std::uint64_t kLibraryAlignment = 256;

// Bytes to ask the host for, to have so many.
constexpr std::uint64_t library_workspace(std::uint64_t bytes) {
  return bytes == 0 ? 0 : bytes + kLibraryAlignment;
}

inline char* aligned_workspace(const sdk::Launch& launch) {
  const auto address = reinterpret_cast<std::uintptr_t>(launch.workspace<char>());
  return reinterpret_cast<char*>((address + kLibraryAlignment - 1) / kLibraryAlignment *
                                 kLibraryAlignment);
}

}  // namespace loci::cuda
