// The conformance cases that a test goes through: all of them, or where a sanitizer watches those
// that differ for it.
#pragma once

#include "framework/core/sanitizer.h"
#include "tools/conformance/case.h"
#include "tools/conformance/sample.h"

namespace loci::test {

inline const conformance::Suite& tested_cases() {
#if defined(LOCI_ASAN) || defined(LOCI_TSAN)
  static const conformance::Suite cases = conformance::memory_sample(conformance::all_cases());
#else
  static const conformance::Suite cases = conformance::all_cases();
#endif
  return cases;
}

}  // namespace loci::test
