// Whether a device works at all, whatever it does wrong: for telling one failure from what follows
// of it.
#pragma once

#include "tools/conformance/verify/subject.h"

namespace loci::verify {

// Opens the device of a new instance, and writes and reads a little memory without looking at what
// comes back. Throws what is thrown by it; CheckSkipped where there is no such device.
void probe_device(const Target& target);

}  // namespace loci::verify
