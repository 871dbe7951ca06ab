// Rules of shapes and dtypes that op families share. Extents may be kDynamicDim everywhere: what
// depends on an unknown extent is unknown, and an unknown extent never fails a check.
#pragma once

#include <array>
#include <cstdint>
#include <loci/shape.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "framework/ops/infer_context.h"

namespace loci::ops {

// Returns true if the extents are equal as far as they are known.
[[nodiscard]] bool compatible(std::int64_t a, std::int64_t b);
[[nodiscard]] bool compatible(const Shape& a, const Shape& b);

// Merges two compatible shapes: the extents are those that either of them knows.
[[nodiscard]] Shape merged(const Shape& a, const Shape& b);

// NumPy's broadcasting; nothing if the shapes do not fit. Unknown with 1 or unknown is unknown,
// and with a larger extent it is that extent.
[[nodiscard]] std::optional<Shape> broadcast(const Shape& a, const Shape& b);

// Returns true if broadcasting `shape` together with `other` may repeat elements of `shape` or add
// dimensions to it.
[[nodiscard]] bool may_repeat(const Shape& shape, const Shape& other);

// Part of a shape.
[[nodiscard]] Shape slice(const Shape& shape, int begin, int end);

// Product of the extents in [begin, end), kDynamicDim if it is unknown; fails if it is too large.
[[nodiscard]] std::int64_t extent_product(const InferContext& ctx, const Shape& shape, int begin,
                                          int end);

// Marks by position which of `rank` dimensions the attribute, a list, names; negative ones count
// from the end. Fails if one is out of range or named twice.
[[nodiscard]] std::array<bool, Shape::kMaxRank> named_axes(const InferContext& ctx,
                                                           std::string_view attribute, int rank);

// Fail unless the arguments of both slots have one dtype.
void require_same_dtype(const InferContext& ctx, std::string_view a, std::string_view b);
// Fails unless the argument of the slot has that many dimensions; `meaning` describes them.
void require_rank(const InferContext& ctx, std::string_view slot, int rank,
                  std::string_view meaning);
// Fails unless the slot's shape is compatible with `expected`; `meaning` says what that is.
void require_shape(const InferContext& ctx, std::string_view slot, const Shape& expected,
                   std::string_view meaning);
// The random state that numbers are drawn from: [2], the seed and the run, or [3], with what is
// added to the op's offset, of a captured step that draws other numbers in each replay.
void require_drawn_state(const InferContext& ctx);

// Infers that "out" has the type of "x".
void infer_like_x(InferContext& ctx);

// The shape of both slots broadcast together; fails if they do not fit.
[[nodiscard]] Shape broadcast_of(const InferContext& ctx, std::string_view a, std::string_view b);

// An attribute that says a whole shape: every extent known. Fails for anything else.
[[nodiscard]] Shape shape_attribute(const InferContext& ctx, std::string_view name);
// Makes a whole shape, every extent known, of given extents; `name` is for messages.
[[nodiscard]] Shape whole_shape(const InferContext& ctx, std::string_view name,
                                const std::vector<std::int64_t>& extents);

}  // namespace loci::ops
