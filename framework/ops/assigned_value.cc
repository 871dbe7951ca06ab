#include "framework/ops/assigned_value.h"

#include "framework/core/elements.h"

namespace loci::ops {

Attributes assigned_value(const Tensor& value) {
  Attributes attributes{{"shape", value.shape().dims()}, {"dtype", value.dtype()}};
  if (is_floating(value.dtype())) {
    attributes["values"] = core::to_doubles(value);
  } else {
    attributes["integers"] = core::to_integers(value);
  }
  return attributes;
}

}  // namespace loci::ops
