// A capturer and the backend whose streams it captures: one of them is under test, the other one is
// found where plugins are searched.
#pragma once

#include <string>
#include <vector>

#include "tools/conformance/verify/subject.h"

namespace loci::verify {

struct CapturePair {
  Target backend;
  Target capturer;
};

// The first that fits in these directories, then in LOCI_PLUGIN_PATH and the install directory; a
// plugin that is both is its own pair. Skips the check where there is none.
CapturePair find_capture_pair(const Target& target, const std::vector<std::string>& directories);

}  // namespace loci::verify
