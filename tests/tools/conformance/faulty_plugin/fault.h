// The one rule that this plugin breaks.
#pragma once

#include <string_view>

namespace loci::faulty {

// "none", or what the places that ask say. With the suffix the device is another one.
extern const char* const kFault;
inline constexpr std::string_view kInHostMemory = "_in_host_memory";

// Returns true if the device works at once, in the host's memory, and has no streams.
inline bool works_in_host_memory() {
  const std::string_view fault = kFault;
  return fault.size() > kInHostMemory.size() &&
         fault.substr(fault.size() - kInHostMemory.size()) == kInHostMemory;
}

inline bool has(std::string_view fault) {
  std::string_view own = kFault;
  if (works_in_host_memory()) own.remove_suffix(kInHostMemory.size());
  return fault == own;
}

}  // namespace loci::faulty
