// Finds the memory of the host that calls leave behind, kind by kind: those that succeed, and those
// that are refused. A leak of a call is small beside what a whole life takes and gives back.
#pragma once

#include <vector>

#include "tools/conformance/verify/subject.h"

namespace loci::verify {

Check leaks_of_calls(const Target& target);
Check leaks_of_refused_calls(const Target& target);

}  // namespace loci::verify
