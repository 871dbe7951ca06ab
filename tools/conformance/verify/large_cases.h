// Cases that are large enough for limits of a device: more blocks than a grid has in one dimension,
// counters of 16 bits, chunks of a copy. Each is a small case again and again along the first axis,
// so that what comes out is what the small one gives, again and again.
#pragma once

#include <cstdint>
#include <loci/place.hpp>
#include <string>
#include <vector>

#include "tools/conformance/case.h"
#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

struct LargeCase {
  const conformance::Case* small;
  std::vector<std::size_t> repeated;  // the inputs that are; others stay as they are
  std::int64_t times = 1;

  // "relu/float32/[17] x 1000000".
  [[nodiscard]] std::string name() const;
};

// Of the cases of a suite, which outlives them: each elementwise op, on more than 65535 * 256
// elements, and some that compute row by row, on 70000 rows or more.
std::vector<LargeCase> large_cases(const conformance::Suite& suite);

// Skips the check where the place has not memory enough.
Verdict run_large(const LargeCase& large, const Place& place);

}  // namespace loci::verify
