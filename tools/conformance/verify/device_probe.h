// Finds out if a device works at all, whatever it does wrong: this tells a failure from those that
// follow from it.
#pragma once

#include "tools/conformance/verify/subject.h"

namespace loci::verify {

// Opens the device of a new instance, and writes and reads a little memory without looking at what
// comes back. Throws what is thrown by it; CheckSkipped where there is no such device.
void probe_device(const Target& target);

}  // namespace loci::verify
