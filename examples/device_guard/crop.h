// Copies that a guard avoids.
#pragma once

#include <string>

namespace device_guard {

// fill_constant -> shape -> slice -> crop_tensor, ten times on `device`, without a guard and with
// slice on the CPU, where shape leaves its result and crop_tensor reads it. Prints the copies that
// the host waited for besides feed and fetch, where each comes from, and the same counts under the
// default options, which compute the shape beforehand. Saves the program as the directory
// `program`. Throws std::runtime_error unless the guard avoids every one of them and the results
// are the same.
void crop(const std::string& device, const std::string& program);

}  // namespace device_guard
