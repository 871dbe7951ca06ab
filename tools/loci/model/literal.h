// Tensors from a number on the command line.
#pragma once

#include <loci/tensor.hpp>
#include <string>

namespace loci::runner {

// A tensor on the host in which every element is the number `text`, read as an element of `dtype`:
// true, false, 0 or 1 for bool; a whole number in range for integers; inf and nan too for floating
// dtypes. Throws Failure(kUsage), with `name` in its message, for any other text.
Tensor filled_tensor(const std::string& text, const Shape& shape, DType dtype,
                     const std::string& name);

}  // namespace loci::runner
