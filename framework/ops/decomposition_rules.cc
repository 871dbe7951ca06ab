#include "framework/ops/decomposition_rules.h"

#include "framework/ops/normalization.h"

namespace loci::ops {

Value as_dtype(const Value& x, DType dtype) {
  return DecomposeContext::type(x).dtype == dtype ? x : cast(x, dtype);
}

Value widened(const Value& x) {
  return as_dtype(x, statistics_dtype(DecomposeContext::type(x).dtype));
}

}  // namespace loci::ops
