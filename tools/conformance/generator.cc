#include "tools/conformance/generator.h"

#include <utility>

namespace loci::conformance {

std::uint64_t Bits::next() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

std::uint64_t hash(std::string_view text) {
  std::uint64_t result = 0xCBF29CE484222325;
  for (const char c : text) result = (result ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return result;
}

bool is_unsigned(DType dtype) { return dtype == kBool || (is_integer(dtype) && dtype >= kUInt8); }

Generator uniform(Real low, Real high) {
  return [=](std::size_t count, Bits& bits) {
    std::vector<Real> values(count);
    for (Real& value : values) value = low + (high - low) * bits.unit();
    return values;
  };
}

Generator integers(std::int64_t low, std::int64_t high) {
  return [=](std::size_t count, Bits& bits) {
    const auto range = static_cast<std::uint64_t>(high - low) + 1;
    std::vector<Real> values(count);
    for (Real& value : values) {
      value = static_cast<Real>(low) + static_cast<Real>(bits.below(range));
    }
    return values;
  };
}

Generator distinct(Real step) {
  return [=](std::size_t count, Bits& bits) {
    std::vector<Real> values(count);
    const auto half = static_cast<Real>(count / 2);
    for (std::size_t i = 0; i < count; ++i) values[i] = (static_cast<Real>(i) - half + 0.5L) * step;
    for (std::size_t i = count; i > 1; --i) std::swap(values[i - 1], values[bits.below(i)]);
    return values;
  };
}

Generator cycle(std::vector<Real> values) {
  return [values = std::move(values)](std::size_t count, Bits&) {
    std::vector<Real> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = values[i % values.size()];
    return result;
  };
}

}  // namespace loci::conformance
