// Inputs of cases: the same for every run and backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "tools/conformance/array.h"

namespace loci::conformance {

// SplitMix64 (Steele et al., 2014).
class Bits {
 public:
  explicit Bits(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  // In [0, 1).
  Real unit() { return static_cast<Real>(next() >> 11) * 0x1p-53L; }
  // In [0, bound).
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

// FNV-1a, for seeds from names.
std::uint64_t hash(std::string_view text);

// Returns true if no element of the dtype is negative.
bool is_unsigned(DType dtype);

// Makes that many elements, which are then rounded to the input's dtype.
using Generator = std::function<std::vector<Real>(std::size_t count, Bits& bits)>;

Generator uniform(Real low, Real high);
// Whole numbers, both ends included.
Generator integers(std::int64_t low, std::int64_t high);
// The odd multiples of step / 2 around 0, shuffled: all differ by at least `step` and none is 0, so
// that max and relu are differentiable there.
Generator distinct(Real step);
// These, repeated.
Generator cycle(std::vector<Real> values);

}  // namespace loci::conformance
