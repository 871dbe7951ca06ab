// The elements of a tensor in host memory as numbers, whatever its dtype.
#pragma once

#include <cstdint>
#include <loci/tensor.hpp>
#include <vector>

namespace loci::core {

// Returns the elements of a tensor of a floating dtype, exactly.
[[nodiscard]] std::vector<double> to_doubles(const Tensor& tensor);
// Returns the elements of an integer dtype or bool, exactly, but uint64 modulo 2^64.
[[nodiscard]] std::vector<std::int64_t> to_integers(const Tensor& tensor);

}  // namespace loci::core
