// Tensors of random elements.
#pragma once

#include <cstdint>
#include <loci/tensor.hpp>
#include <string>

namespace loci::runner {

// The seed and the name that the elements depend on.
struct RandomKey {
  std::uint64_t seed = 0;
  std::string name;
};

// A tensor on the host, its elements uniform: in [low, high) for floating dtypes (rounded to the
// dtype), among the whole numbers of [low, high) for integers, either for bool. The same key,
// dtype and shape give the same bits on every machine. Throws Failure(kUsage) if an integer dtype
// has no whole number in the range, or cannot hold all of them.
Tensor random_tensor(const Shape& shape, DType dtype, double low, double high,
                     const RandomKey& key);

}  // namespace loci::runner
