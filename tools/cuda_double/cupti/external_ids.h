// The ids that a thread's client has pushed.
#pragma once

#include <cupti.h>

#include <array>
#include <cstdint>
#include <vector>

namespace loci::cupti_double {

using ExternalIds = std::array<std::vector<std::uint64_t>, CUPTI_EXTERNAL_CORRELATION_KIND_SIZE>;

inline ExternalIds& external_ids() {
  thread_local ExternalIds ids;
  return ids;
}

}  // namespace loci::cupti_double
