// Attributes of launches. Each is honoured, or refused by its name.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>

#include "tools/cuda_double/driver/call.h"
#include "tools/cuda_double/ptx/dim3.h"

namespace loci::cuda_double {

struct LaunchAttributes {
  bool cooperative = false;
  bool overlaps = false;  // with the kernel before it on the stream
  // Recorded when the kernel has ended, which is the latest that the manual allows.
  std::shared_ptr<Event> programmatic_event;
  // Recorded at the same time; it tells of the launch's beginning alone, whenever it comes.
  std::shared_ptr<Event> completion_event;
};

// Throws DriverError, with the attribute's name, for what can not be or is not there.
[[nodiscard]] LaunchAttributes read_attributes(Call& call, const CUlaunchConfig& config,
                                               const Stream& stream);

// Returns the header's name: "CU_LAUNCH_ATTRIBUTE_COOPERATIVE"; the number where it has none.
[[nodiscard]] std::string attribute_name(CUlaunchAttributeID id);

}  // namespace loci::cuda_double
