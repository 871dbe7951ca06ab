// The levels of `loci verify`, one file each. Each gives its checks.
#pragma once

#include <string>
#include <vector>

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

// Profile sources and reporters: each record once and in time, each report written and the same.
std::vector<Check> profile_level(const Target& target);

// Each case of the conformance suite at a place, with launches watched (launch_traps.h). Of a
// plugin that is no backend: none.
struct OpsOptions {
  std::string place;                     // "sim:0"
  std::vector<std::string> directories;  // of further plugins that a case may need, cpu above all
};
std::vector<Check> ops_level(const Target& target, const OpsOptions& options);

}  // namespace loci::verify
