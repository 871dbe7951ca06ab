// Compressed text of fat binaries. The libraries that unpack it are the distribution's, which are
// opened when they are needed first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace loci::cuda_double {

// Throw DriverError (invalid image) where the library is not there, which is named, or where the
// bytes do not unpack to so many.
[[nodiscard]] std::string unpack_lz4(std::string_view packed, std::uint64_t bytes);
[[nodiscard]] std::string unpack_zstd(std::string_view packed, std::uint64_t bytes);

}  // namespace loci::cuda_double
