// Operands of kernels under test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace loci::testing {

// Between -1 and 1, the same for the same seed.
inline std::vector<float> random_floats(std::int64_t count, unsigned seed) {
  std::mt19937 numbers(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> result(static_cast<std::size_t>(count));
  for (float& value : result) value = values(numbers);
  return result;
}

}  // namespace loci::testing
