// Constants of a program: the attributes of "assign_value".
#pragma once

#include <loci/attribute.hpp>
#include <loci/tensor.hpp>

namespace loci::ops {

// The attributes with which assign_value makes a tensor equal to `value`, which lies in host
// memory: shape, dtype, and "values" of a floating dtype or "integers" of any other, uint64 modulo
// 2^64. A NaN stays one but may lose its payload. Complete but for the op's defaults.
[[nodiscard]] Attributes assigned_value(const Tensor& value);

}  // namespace loci::ops
