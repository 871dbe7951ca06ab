// Integers that an op takes as an attribute or, where it is connected, from an input that is read
// on the host.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/ops/infer_context.h"

namespace loci::ops {

struct IntegerList {
  // Where they are unknown, zeros: only how many there are counts.
  std::vector<std::int64_t> values;
  bool known = true;

  [[nodiscard]] std::size_t size() const { return values.size(); }
  [[nodiscard]] std::int64_t operator[](std::size_t i) const { return values[i]; }
};

// The input `slot`, a list of int32 or int64, if it is connected, else the attribute. Fails if both
// are given, or the input is not a list of a known number of elements, at most Shape::kMaxRank.
[[nodiscard]] IntegerList integer_list(const InferContext& ctx, std::string_view attribute,
                                       std::string_view slot);

// A whole shape from either: unknown extents where the values are unknown. Fails as
// shape_attribute().
[[nodiscard]] Shape given_shape(const InferContext& ctx, std::string_view attribute,
                                std::string_view slot);

}  // namespace loci::ops
