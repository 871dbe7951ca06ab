// Class labels, as losses and metrics take them.
#pragma once

#include <loci/shape.hpp>
#include <string_view>

#include "framework/ops/infer_context.h"

namespace loci::ops {

// Fails unless the slot "label" fits the scores in slot `scores`, [..., classes]. Hard labels are
// integers of shape [...] or [..., 1]; soft ones have dtype and shape of the scores. Returns the
// shape of one number for each row, [..., 1], with the extents that either argument knows.
[[nodiscard]] Shape require_labels(const InferContext& ctx, std::string_view scores, bool soft);

}  // namespace loci::ops
