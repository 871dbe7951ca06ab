#include "tools/cuda_double/ptx/scalar_type.h"

#include <array>

namespace loci::cuda_double {
namespace {

struct TypeRow {
  std::string_view name;
  std::uint32_t bytes;
};

// In the order of the enumeration.
constexpr std::array<TypeRow, 21> kTypes = {
    {{"pred", 1}, {"b8", 1},    {"b16", 2},  {"b32", 4},    {"b64", 8},  {"b128", 16}, {"u8", 1},
     {"u16", 2},  {"u32", 4},   {"u64", 8},  {"s8", 1},     {"s16", 2},  {"s32", 4},   {"s64", 8},
     {"f16", 2},  {"f16x2", 4}, {"bf16", 2}, {"bf16x2", 4}, {"tf32", 4}, {"f32", 4},   {"f64", 8}}};

}  // namespace

std::optional<ScalarType> scalar_type(std::string_view name) {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) return static_cast<ScalarType>(i);
  }
  return std::nullopt;
}

std::string_view type_name(ScalarType type) { return kTypes[static_cast<std::size_t>(type)].name; }

std::uint32_t type_bytes(ScalarType type) { return kTypes[static_cast<std::size_t>(type)].bytes; }

bool is_signed(ScalarType type) { return type >= ScalarType::kS8 && type <= ScalarType::kS64; }

bool is_integer(ScalarType type) { return type >= ScalarType::kB8 && type <= ScalarType::kS64; }

bool is_float(ScalarType type) { return type >= ScalarType::kF16; }

}  // namespace loci::cuda_double
