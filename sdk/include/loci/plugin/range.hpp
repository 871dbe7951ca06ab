// The integers of the op range. Its schema and its kernels share the rule, so that they agree on
// every extent.
#pragma once

#include <cstdint>

namespace loci::sdk {

// start, start + step, ... . Arithmetic is unsigned: each element is an int64, and what leads to
// it, such as the distance of two bounds, need not be one.
struct IntegerRange {
  std::int64_t start = 0;
  std::int64_t step = 1;

  [[nodiscard]] constexpr std::int64_t operator[](std::uint64_t i) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(start) +
                                     i * static_cast<std::uint64_t>(step));
  }
  // How many lie before `limit`, or behind it for a negative step; `step` is not 0.
  [[nodiscard]] constexpr std::uint64_t count(std::int64_t limit) const {
    const bool is_rising = step > 0;
    if (is_rising ? start >= limit : start <= limit) return 0;
    const auto from = static_cast<std::uint64_t>(is_rising ? start : limit);
    const auto to = static_cast<std::uint64_t>(is_rising ? limit : start);
    const auto stride = is_rising ? static_cast<std::uint64_t>(step)
                                  : std::uint64_t{0} - static_cast<std::uint64_t>(step);
    return (to - from - 1) / stride + 1;
  }
};

// The bounds are start, limit and step: the attribute of the op, or its input, which the host
// reads.
template <class Integer>
constexpr IntegerRange integer_range(const Integer* bounds) {
  return {bounds[0], bounds[2]};
}

}  // namespace loci::sdk
