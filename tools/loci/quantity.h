// Amounts as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace loci::runner {

// "512 bytes", "1.5 MiB".
std::string bytes_text(std::uint64_t bytes);
// "12.3 µs", "1.23 ms", "4.56 s".
std::string duration_text(double microseconds);

}  // namespace loci::runner
