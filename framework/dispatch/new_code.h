// Whether a kernel may run code that has not run before in the process.
#pragma once

#include <loci/abi/kernels.h>

#include <cstddef>

#include "framework/dispatch/op_desc.h"

namespace loci::dispatch {

// Of kernels that are told apart; one that is new after so many differs in its extents alone, in
// all likelihood, and counts as known.
inline constexpr std::size_t kMostKnownKernels = 16'384;

// True the first time it is asked for such a kernel: its definition, and the dtypes, shapes and
// attributes that it is prepared for. Those of random operators differ at each call, and do not
// count. Thread-safe.
[[nodiscard]] bool is_new_code(const loci_kernel_def& def, const OpDesc& op);

}  // namespace loci::dispatch
