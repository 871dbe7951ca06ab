// Handlers that the translator puts between an operand and its use.
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/cuda_double/ptx/instruction.h"

namespace loci::cuda_double {

// The low bytes. A copy if they are as many. Sizes are 1, 2, 4, 8 or 16.
[[nodiscard]] Handler cut_handler(std::uint32_t from_bytes, std::uint32_t to_bytes);
// With zeros or the sign above.
[[nodiscard]] Handler extend_handler(std::uint32_t from_bytes, std::uint32_t to_bytes, bool sign);
[[nodiscard]] Handler negate_predicate_handler();
[[nodiscard]] Handler copy_predicate_handler();
// A source of 8 bytes plus the immediate.
[[nodiscard]] Handler add_offset_handler();

}  // namespace loci::cuda_double
