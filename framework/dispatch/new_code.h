// A record of which kernels may run code that has not run before in the process.
#pragma once

#include <loci/abi/kernels.h>

#include <cstddef>
#include <cstdint>

#include "framework/dispatch/op_desc.h"

namespace loci::dispatch {

// The most kernels that are told apart; one that comes later differs in its extents alone, in all
// likelihood, and counts as known.
inline constexpr std::size_t kMostKnownKernels = 16'384;

// A kernel's code follows from its definition, and from the dtypes, shapes and attributes that
// it is prepared for. Those of random operators differ at each call, and do not count.
struct Code {
  std::uint64_t id = 0;
  bool is_new = false;   // prepared for the first time
  bool has_run = false;  // in a kernel that was prepared before
};

// Thread-safe, as the next one is.
[[nodiscard]] Code prepared_code(const loci_kernel_def& def, const OpDesc& op);

void note_code_has_run(std::uint64_t code);

}  // namespace loci::dispatch
