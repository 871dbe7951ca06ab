// The toolkit's container of code for several devices.
#pragma once

#include <string>

namespace loci::cuda_double {

// Also of the small structure that programs built by nvcc hand over, which points to one.
[[nodiscard]] bool is_fat_binary(const void* image);

// The PTX of the newest device in it. Compressed text is unpacked (unpack.h). Throws DriverError
// with what it lacks.
[[nodiscard]] std::string ptx_of_fat_binary(const void* image);

}  // namespace loci::cuda_double
