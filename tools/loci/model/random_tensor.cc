#include "tools/loci/model/random_tensor.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <random>

#include "tools/loci/failure.h"
#include "tools/loci/model/element.h"
#include "tools/loci/shown.h"

namespace loci::runner {
namespace {

// The standard's distributions differ between libraries; the engine does not.
class Uniform {
 public:
  explicit Uniform(const RandomKey& key) : engine_(mix(key)) {}

  // In [0, 1).
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  bool coin() { return (engine_() >> 63) != 0; }

 private:
  // FNV-1a: inputs with different names must not be copies of each other.
  static std::uint64_t mix(const RandomKey& key) {
    std::uint64_t hash = 0xcbf29ce484222325u ^ key.seed;
    for (const char c : key.name) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    return hash;
  }

  std::mt19937_64 engine_;
};

// Beyond this a double does not tell whole numbers apart.
constexpr double kExact = 0x1p53;

template <class T>
void check_range(double first, double count, const RandomKey& key) {
  const double last = first + count - 1;
  const bool held = std::abs(first) <= kExact && std::abs(last) <= kExact &&
                    first >= static_cast<double>(std::numeric_limits<T>::min()) &&
                    last <= static_cast<double>(std::numeric_limits<T>::max());
  if (count >= 1 && held) return;
  throw Failure(ExitCode::kUsage,
                fmt::format("[--feed] {}: {} cannot hold the whole numbers from {} to below {}; "
                            "give other bounds",
                            shown_name(key.name), dtype_name(dtype_of<T>), first, first + count));
}

void fill(bool* elements, std::int64_t count, double, double, const RandomKey& key) {
  Uniform uniform(key);
  for (std::int64_t i = 0; i < count; ++i) elements[i] = uniform.coin();
}

template <class T>
void check_finite(double bound, DType dtype, const RandomKey& key) {
  if (std::isfinite(float_value(float_element<T>(bound)))) return;
  throw Failure(ExitCode::kUsage, fmt::format("[--feed] {}: the bound {} is beyond {}; give other "
                                              "bounds",
                                              shown_name(key.name), bound, dtype_name(dtype)));
}

template <class T>
void fill(T* elements, std::int64_t count, double low, double high, const RandomKey& key) {
  Uniform uniform(key);
  if constexpr (is_float_element<T>) {
    // The halves cannot overflow, the difference of the bounds can.
    for (std::int64_t i = 0; i < count; ++i) {
      const double at = uniform.unit();
      elements[i] = float_element<T>(low * (1 - at) + high * at);
    }
  } else {
    const double first = std::ceil(low);
    const double choices = std::ceil(high) - first;
    check_range<T>(first, choices, key);
    for (std::int64_t i = 0; i < count; ++i) {
      elements[i] = static_cast<T>(first + std::floor(uniform.unit() * choices));
    }
  }
}

}  // namespace

Tensor random_tensor(const Shape& shape, DType dtype, double low, double high,
                     const RandomKey& key) {
  Tensor tensor = Tensor::empty(shape, dtype);
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (is_float_element<T>) {
      check_finite<T>(low, dtype, key);
      check_finite<T>(high, dtype, key);
    }
    fill(static_cast<T*>(tensor.raw_data()), tensor.numel(), low, high, key);
  });
  return tensor;
}

}  // namespace loci::runner
