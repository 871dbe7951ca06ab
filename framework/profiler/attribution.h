// Which span launched which device work.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <vector>

#include "framework/profiler/nesting.h"
#include "framework/profiler/recording.h"

namespace loci::profiler {

struct DeviceWork {
  std::vector<loci_profile_device_span> spans;  // as in loci_profile
  // The span that carries the correlation id of each one: it may be a call within `span`.
  std::vector<std::uint32_t> launchers;
  std::uint64_t unattributed_spans = 0;
  std::uint64_t unattributed_ns = 0;
};

// A work belongs to the innermost span with its correlation id. Calls of a device's interface are
// passed over for what is around them, unless there is nothing. Sets the spans' device_ns.
DeviceWork attribute(const Recording& recording, Nesting& nesting);

}  // namespace loci::profiler
