// A digest of text, by which files are named and damage is found: FNV-1a of 64 bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace loci::cuda {

constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t digest = 0xcbf29ce484222325U) {
  for (const char c : text) {
    digest ^= static_cast<unsigned char>(c);
    digest *= 0x100000001b3U;
  }
  return digest;
}

}  // namespace loci::cuda
