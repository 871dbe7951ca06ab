// CUDA without a GPU: the double of the CUDA driver that comes with Loci.
#pragma once

#include <loci/place.hpp>
#include <string>

namespace loci::runner {

// Has every plugin of this process and its children open the double instead of the machine's
// driver, by LOCI_CUDA_DRIVER, and the doubles of cuBLASLt and CUPTI by LOCI_CUDA_CUBLASLT and
// LOCI_CUDA_CUPTI unless those are 0. Called before a plugin is loaded and while there is one
// thread; nothing else ever chooses the doubles. Throws Failure: kNotAvailable if this build of
// Loci has none of the driver.
void use_emulated_cuda();

// Returns true if the device, which is open, is one of the double's, however that was chosen.
bool is_emulated(const Place& place);

// " (emulated)" for such a device, else empty.
std::string emulation_mark(const Place& place);
// A line that says what times measured there are not, else empty.
std::string emulation_note(const Place& place);

}  // namespace loci::runner
