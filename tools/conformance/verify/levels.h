// The levels of `loci verify`, one file each. Each gives its checks.
#pragma once

#include <functional>
#include <vector>

#include "tools/conformance/verify/brought.h"
#include "tools/conformance/verify/ops/ops_core.h"
#include "tools/conformance/verify/subject.h"
#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

// The library as a file and its tables: symbols, manifest, sizes, versions, required functions.
std::vector<Check> abi_level(const Target& target);
// Creating and destroying, opening and closing: again and again, with nothing left behind.
std::vector<Check> life_level(const Target& target);
// Memory of each kind, copies and fills, by content.
std::vector<Check> mem_level(const Target& target);
// Streams and events: what comes before what, by content behind long work.
std::vector<Check> order_level(const Target& target);
// Errors that the ABI promises, and memory that runs out.
std::vector<Check> fault_level(const Target& target);

// Captures, by the plugin or of its devices: recordings and replays, in each order, with what is
// forbidden among them; and kernels that are LOCI_KERNEL_CAPTURABLE. The other one of a capturer
// and its backend is found where plugins are searched.
std::vector<Check> capture_level(const Target& target, const OpsOptions& options,
                                 const Brought& brought);

// Profile sources and reporters: each record once and in time, each report written and the same.
std::vector<Check> profile_level(const Target& target);

// Cases at a place, with launches watched (launch_traps.h): the caller's own, those of the plugin's
// own ops, and of the conformance suite all that its device or its kernels are to run; on its other
// devices one of each op; and large ones. Of a plugin without a kernel or an op: none.
struct OpsLevel {
  std::vector<Check> checks;
  std::function<void()> probe;  // whether the place still works; none where there are no cases
};
OpsLevel ops_level(const Target& target, const OpsOptions& options, const Brought& brought,
                   const std::vector<conformance::Case>& own_cases);

}  // namespace loci::verify
