#include "tools/conformance/reduction.h"

#include <algorithm>
#include <loci/attribute.hpp>

namespace loci::conformance {

bool is_reduced(const Reduction& op, int axis) {
  const auto names = [&](std::int64_t given) {
    return given == axis || given + op.x.rank() == axis;
  };
  return op.axes.empty() || std::any_of(op.axes.begin(), op.axes.end(), names);
}

Shape kept_shape(const Reduction& op) {
  Shape shape = op.x;
  for (int i = 0; i < shape.rank(); ++i) {
    if (is_reduced(op, i)) shape.set(i, 1);
  }
  return shape;
}

Shape result_shape(const Reduction& op) {
  if (op.keep_dim) return kept_shape(op);
  Shape shape;
  for (int i = 0; i < op.x.rank(); ++i) {
    if (!is_reduced(op, i)) shape.push_back(op.x[i]);
  }
  return shape;
}

std::int64_t terms(const Reduction& op) {
  std::int64_t count = 1;
  for (int i = 0; i < op.x.rank(); ++i) count *= is_reduced(op, i) ? op.x[i] : 1;
  return count;
}

std::string variant(const Reduction& op) {
  return "axes " + to_string(Attribute(op.axes)) + (op.keep_dim ? " keep_dim" : "");
}

}  // namespace loci::conformance
