// Which of a suite's planted faults a build has as cases.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/conformance/verify/process_state.h"

namespace loci::verify {

constexpr std::size_t kSanitizedStep = 3;

// All of them; of those under a sanitizer, where the process of each check takes five times as
// long, every third: it is there to look at verify, not at how a fault is found.
template <class Planted>
std::vector<Planted> planted_faults(const std::vector<Planted>& all) {
  const bool is_sanitized = heap_bytes() == 0;
  std::vector<Planted> chosen;
  for (std::size_t i = 0; i < all.size(); i += is_sanitized ? kSanitizedStep : 1) {
    chosen.push_back(all[i]);
  }
  return chosen;
}

}  // namespace loci::verify
