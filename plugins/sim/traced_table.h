// The device table, each function of which can be seen in a profile.
#pragma once

#include <loci/abi/device.h>

namespace loci::sim {

const loci_device_api* traced_device_table();

}  // namespace loci::sim
