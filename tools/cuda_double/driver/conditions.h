// Values of conditional handles, which kernels set.
#pragma once

#include <memory>

#include "tools/cuda_double/driver/operation.h"
#include "tools/cuda_double/ptx/launch.h"

namespace loci::cuda_double {

// Thread-safe.
[[nodiscard]] std::shared_ptr<Condition> make_condition(unsigned default_value,
                                                        bool assigns_default);
// NULL: there is none of that handle, or nobody holds it any more.
[[nodiscard]] std::shared_ptr<Condition> find_condition(CUgraphConditionalHandle handle);
void set_condition(CUgraphConditionalHandle handle, unsigned value);
[[nodiscard]] unsigned value_of(const Condition& condition);

// The device functions that the driver itself provides.
[[nodiscard]] ExternalFunctions condition_setters(Driver& driver);

}  // namespace loci::cuda_double
