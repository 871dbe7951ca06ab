// A reduction over axes as the references see it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/conformance/array.h"

namespace loci::conformance {

using Axes = std::vector<std::int64_t>;

// All axes if there are none; negative ones count from the end.
struct Reduction {
  Shape x;
  Axes axes;
  bool keep_dim = false;
};

bool is_reduced(const Reduction& op, int axis);
// With every reduced extent 1, so that broadcasting leads back.
Shape kept_shape(const Reduction& op);
Shape result_shape(const Reduction& op);
// Elements that make up one result.
std::int64_t terms(const Reduction& op);
// For the name of a case.
std::string variant(const Reduction& op);

}  // namespace loci::conformance
