// A program hands over code as an image: PTX text, a fat binary with PTX in it, or what the linker
// made.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace loci::cuda_double {

// The texts of PTX in it: one, or several that were linked. Throws DriverError with the code that a
// driver gives, and says what the double has not: machine code alone, or a way of compression.
[[nodiscard]] std::vector<std::string> ptx_texts(const void* image);

// An image of several texts, for ptx_texts().
[[nodiscard]] std::vector<std::byte> make_linked_image(const std::vector<std::string>& texts);

}  // namespace loci::cuda_double
