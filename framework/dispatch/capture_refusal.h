// The reasons that keep a launch out of a device graph.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "framework/dispatch/kernel.h"
#include "framework/ops/op_schema.h"

namespace loci::dispatch {

// Why it cannot be part of one; empty if it can. `on_host` tells of each argument, flat, inputs
// first, whether the kernel finds its elements there.
[[nodiscard]] std::string capture_refusal(const ops::OpSchema& schema, const PreparedKernel& kernel,
                                          const std::vector<bool>& on_host, std::size_t inputs);

}  // namespace loci::dispatch
