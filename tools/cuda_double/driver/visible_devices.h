// Selects the devices that CUDA_VISIBLE_DEVICES leaves.
#pragma once

#include <vector>

namespace loci::cuda_double {

// The numbers of those that programs see, in their order: all of `count` for NULL. As a driver
// reads it, the first entry that is no device's number ends the list, and one that comes twice
// hides all. Devices are not told by their UUID here.
[[nodiscard]] std::vector<int> visible_devices(int count, const char* text);

}  // namespace loci::cuda_double
