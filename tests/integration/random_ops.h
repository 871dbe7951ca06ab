// Random ops on small tensors, for graphs and programs that are made up.
#pragma once

#include <bit>
#include <cstdint>
#include <loci/loci.hpp>
#include <random>
#include <string>
#include <vector>

namespace loci::test {

constexpr std::int64_t kElements = 6;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  std::vector<float> elements(std::int64_t count = kElements) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(below(9)) - 4);
    return values;
  }

 private:
  std::mt19937_64 random_;
};

// Returns bits: an element that has overflowed is no number, and unequal to itself.
inline std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> all;
  for (const float value : values) all.push_back(std::bit_cast<std::uint32_t>(value));
  return all;
}

// An op of two values of those that are there, by their numbers.
struct Op {
  std::size_t kind;
  std::size_t x;
  std::size_t y;

  template <class Value>
  [[nodiscard]] Value apply(const std::vector<Value>& values) const {
    const Value& a = values[x % values.size()];
    const Value& b = values[y % values.size()];
    switch (kind) {
      case 0: return a + b;
      case 1: return a - b;
      case 2: return relu(a);
      default: return a * b;
    }
  }
};

inline std::vector<Op> random_ops(Dice& dice) {
  std::vector<Op> ops;
  const std::size_t count = 1 + dice.below(8);
  for (std::size_t i = 0; i < count; ++i) {
    ops.push_back({dice.below(4), dice.below(1000), dice.below(1000)});
  }
  return ops;
}

// How replays went.
struct Tally {
  std::uint64_t right = 0;
  std::uint64_t refused = 0;
  std::string wrong;  // the first one that was neither
};

}  // namespace loci::test
