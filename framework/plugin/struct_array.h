// Arrays of structs of the C ABI, which begin with their size and may be longer or shorter than
// this host's.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "framework/plugin/load_error.h"

namespace loci::plugin {

// More would be a damaged count.
inline constexpr std::uint64_t kMostStructs = 4096;

// Where the entries of an array lie. Throws LoadError(kIncompatible), "its <what> ...", if the
// array is NULL, has too many entries, or one states another size than the first.
template <class T>
std::vector<const T*> list_structs(const T* first, std::uint64_t count, std::string_view what) {
  const auto refuse = [&](const std::string& reason) {
    throw LoadError(ErrorCode::kIncompatible, fmt::format("its {} {}", what, reason),
                    "report it to the plugin's author, who can check it against the SDK's headers");
  };
  std::vector<const T*> entries;
  if (count == 0) return entries;
  if (count > kMostStructs) refuse(fmt::format("has {} entries; at most {}", count, kMostStructs));
  if (first == nullptr) refuse(fmt::format("has {} entries at NULL", count));
  const std::uint32_t stride = first->struct_size;
  const auto* bytes = reinterpret_cast<const char*>(first);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto* entry = reinterpret_cast<const T*>(bytes + i * stride);
    if (entry->struct_size != stride || stride < 2 * sizeof(std::uint32_t) ||
        stride % alignof(T) != 0) {
      refuse(fmt::format("has an entry {} that states a size of {} bytes; this Loci's has {}", i,
                         entry->struct_size, sizeof(T)));
    }
    entries.push_back(entry);
  }
  return entries;
}

// One entry in this host's size: what it lacks is zero.
template <class T>
T copy_struct(const T* entry) {
  T copy{};
  std::memcpy(&copy, entry, std::min<std::size_t>(entry->struct_size, sizeof copy));
  return copy;
}

}  // namespace loci::plugin
