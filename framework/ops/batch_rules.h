// Rules of rows that op families share. What every rule needs is checked for all of them, by
// is_batch_independent(): inputs that carry rows agree in their number, and each output has as
// many.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "framework/ops/batch_context.h"

namespace loci::ops {

// Rows stay apart where elements are computed by themselves, inputs broadcast together: those that
// carry rows are aligned with the outputs at dimension 0.
[[nodiscard]] bool element_rows(BatchContext& ctx);

// Makes the rule of an op that works within each slice of dimension 0 of these slots, as
// convolutions of images do; all others are used as a whole.
[[nodiscard]] BatchRule rows_of(std::vector<std::string_view> slots);
// Returns true if no other slots carry rows.
[[nodiscard]] bool only_carry(const BatchContext& ctx,
                              std::initializer_list<std::string_view> slots);

// The rule of an op that works along the attribute "axis" of `slot`, which is not that of rows.
[[nodiscard]] BatchRule rows_beside_axis(std::string_view slot);
// The rule of an op that works along the attribute "axes" of x: all of them without any.
[[nodiscard]] bool rows_beside_axes(BatchContext& ctx);

// The rule of an op that gives the elements of x another shape, in their order: as many rows mean
// that each has the same elements.
[[nodiscard]] bool rows_in_order(BatchContext& ctx);

}  // namespace loci::ops
