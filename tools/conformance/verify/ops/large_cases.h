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

struct LargeSize {
  std::int64_t elements;  // of elementwise ops
  std::int64_t rows;      // of ops that compute row by row
};
// More than a grid of 65535 blocks of 256 threads has.
constexpr LargeSize kBeyondLimits{17'000'000, 70'000};
// Launches that take a while, on no more than is copied to be made several times.
constexpr LargeSize kTakesAWhile{16'000, 2'000};

// Picks cases of a suite, which outlives them: each elementwise op and some that compute row by
// row, on so much or more.
std::vector<LargeCase> large_cases(const conformance::Suite& suite, const LargeSize& size);

// Skips the check where the place has not memory enough.
Verdict run_large(const LargeCase& large, const Place& place);

}  // namespace loci::verify
