// CUPTI's records of the driver's activity, as CUDA 13.0 has them.
#pragma once

#include <cupti.h>

#include "tools/cuda_double/driver/activity.h"

namespace loci::cupti_double {

using cuda_double::WorkActivity;

[[nodiscard]] CUpti_ActivityKernel10 kernel_record(const WorkActivity& work);
[[nodiscard]] CUpti_ActivityMemcpy6 copy_record(const WorkActivity& work);
[[nodiscard]] CUpti_ActivityMemcpyPtoP4 peer_copy_record(const WorkActivity& work);
[[nodiscard]] CUpti_ActivityMemset4 fill_record(const WorkActivity& work);
[[nodiscard]] bool is_between_devices(const WorkActivity& work);

// Returns the size of a record by its kind; 0: it is none that these functions make.
[[nodiscard]] std::size_t record_bytes(CUpti_ActivityKind kind);

}  // namespace loci::cupti_double
