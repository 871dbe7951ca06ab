// Class labels, one for each row.
#pragma once

#include <cstdint>

namespace loci::cuda {

__device__ inline std::int64_t label_at(const void* labels, bool are_int64, std::int64_t row) {
  if (are_int64) return static_cast<const std::int64_t*>(labels)[row];
  return static_cast<const std::int32_t*>(labels)[row];
}

}  // namespace loci::cuda
