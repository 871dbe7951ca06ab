// Functions of the host's in a stream.
#pragma once

#include "tools/conformance/verify/open_device.h"

namespace loci::verify {

// Checks that a host function is called once, behind the work before it, and before the work behind
// it. A skip where the device leaves them to the host.
void check_host_function(OpenDevice& device);

}  // namespace loci::verify
