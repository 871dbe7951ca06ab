// Choices at random, the same way on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace loci::fuzz {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  std::uint64_t bits() { return random_(); }
  // In [0, limit).
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
  bool chance(std::size_t percent) { return below(100) < percent; }

  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }
  template <class T, std::size_t N>
  const T& one_of(const std::array<T, N>& values) {
    return values[below(N)];
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace loci::fuzz
