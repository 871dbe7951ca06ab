// Special registers tell a thread of itself, its block and its device, such as %tid.x.
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/cuda_double/ptx/instruction.h"

namespace loci::cuda_double {

struct SpecialRegister {
  Handler handler = nullptr;
  std::uint32_t bytes = 4;
  std::uint32_t number = 0;  // modifiers of the instruction that reads it
};

// The translator's own: where variables of the frame, and dynamic shared memory, begin.
inline constexpr std::string_view kLocalBaseRegister = "%<local>";
inline constexpr std::string_view kDynamicSharedRegister = "%<dynamic shared>";

[[nodiscard]] bool is_special_register(std::string_view name);
// Takes the name of a special register.
[[nodiscard]] SpecialRegister special_register(std::string_view name);

}  // namespace loci::cuda_double
