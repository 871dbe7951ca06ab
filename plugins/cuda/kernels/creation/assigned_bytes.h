// Bytes that a launch brings along; for both sides of it.
#pragma once

#include <cstdint>

namespace loci::cuda {

// Half of what the parameters of a kernel may be.
inline constexpr int kAssignedBytes = 2048;

struct AssignedBytes {
  std::uint8_t bytes[kAssignedBytes];
};

}  // namespace loci::cuda
