// Reads PTX into its syntax.
#pragma once

#include <string>
#include <string_view>

#include "tools/cuda_double/ptx/syntax.h"

namespace loci::cuda_double {

// The newest version of the PTX ISA that is known.
inline constexpr std::uint32_t kNewestMajor = 9;
inline constexpr std::uint32_t kNewestMinor = 0;

// Views into `text`. `name` is for messages. Throws PtxError.
[[nodiscard]] UnitSyntax parse_unit(std::string_view text, const std::string& name);

}  // namespace loci::cuda_double
