#include <array>
#include <cmath>
#include <loci/dtype.hpp>

#include "framework/core/integer_range.h"
#include "framework/core/raise.h"

namespace loci {
inline namespace v0 {
namespace {

struct Row {
  std::string_view name;
  std::size_t size;
};

// Indexed by the code.
constexpr std::array<Row, 14> kRows{{{"none", 0},
                                     {"bool", 1},
                                     {"int8", 1},
                                     {"int16", 2},
                                     {"int32", 4},
                                     {"int64", 8},
                                     {"uint8", 1},
                                     {"uint16", 2},
                                     {"uint32", 4},
                                     {"uint64", 8},
                                     {"float16", 2},
                                     {"bfloat16", 2},
                                     {"float32", 4},
                                     {"float64", 8}}};

const Row& row(DType dtype) {
  const auto code = static_cast<std::size_t>(dtype);
  if (code >= kRows.size()) {
    core::raise(ErrorCode::kInvalidArgument, "[dtype] code {} is not a known dtype",
                static_cast<std::int32_t>(dtype));
  }
  return kRows[code];
}

}  // namespace

std::string_view dtype_name(DType dtype) { return row(dtype).name; }

DType parse_dtype(std::string_view name) {
  std::string known;
  for (std::size_t code = 1; code < kRows.size(); ++code) {
    if (kRows[code].name == name) return static_cast<DType>(code);
    known += (known.empty() ? "" : ", ") + std::string(kRows[code].name);
  }
  core::raise(ErrorCode::kInvalidArgument, "[dtype] '{}' is not a dtype; there are {}", name,
              known);
}

std::size_t dtype_size(DType dtype) { return row(dtype).size; }

bool is_floating(DType dtype) { return dtype >= DType::kFloat16 && dtype <= DType::kFloat64; }

bool is_integer(DType dtype) { return dtype >= DType::kInt8 && dtype <= DType::kUInt64; }

double number_in(DType dtype, const char* op, double number) {
  if (!is_integer(dtype)) return number;
  if (!core::fits_integer(number, dtype)) {
    core::raise(ErrorCode::kInvalidArgument,
                "[operator{0}] x is {1}, into which {2} does not fit; cast x to a dtype that has "
                "it first, as in cast(x, kFloat32) {0} {2}",
                op, dtype_name(dtype), number);
  }
  if (number == std::trunc(number)) return number;
  core::raise(ErrorCode::kInvalidArgument,
              "[operator{0}] x is {1}, which would cut {2} to {3}; cast x to a floating dtype "
              "first, as in cast(x, kFloat32) {0} {2}",
              op, dtype_name(dtype), number, std::trunc(number));
}

}  // namespace v0
}  // namespace loci
