// Constants of a program: the attributes of "assign_value".
#pragma once

#include <loci/attribute.hpp>
#include <loci/tensor.hpp>

namespace loci::ops {

// Those with which it gives this tensor, on the host. Of a NaN they keep that it is one.
[[nodiscard]] Attributes assigned_value(const Tensor& value);

}  // namespace loci::ops
