#include "tests/fuzz/random_attribute.h"

#include <limits>
#include <variant>

namespace loci::fuzz {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

constexpr std::array<std::int64_t, 16> kEdges{kMost,
                                              kMost - 1,
                                              kLeast,
                                              kLeast + 1,
                                              std::int64_t{1} << 62,
                                              std::int64_t{1} << 48,
                                              std::int64_t{1} << 40,
                                              std::int64_t{1} << 32,
                                              (std::int64_t{1} << 31) - 1,
                                              std::int64_t{1} << 31,
                                              -(std::int64_t{1} << 31),
                                              65536,
                                              1000,
                                              64,
                                              -8,
                                              -100};

constexpr std::array<double, 16> kNumbers{0.0,
                                          -0.0,
                                          1.0,
                                          -1.0,
                                          0.5,
                                          0.9,
                                          2.0,
                                          1e-5,
                                          1e5,
                                          -1e19,
                                          1e300,
                                          5e-324,
                                          std::numeric_limits<double>::max(),
                                          std::numeric_limits<double>::infinity(),
                                          -std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::quiet_NaN()};

constexpr std::size_t kKinds = std::variant_size_v<AttributeValue>;

// A value of each kind, in the order of Attribute.
const std::array<Attribute, kKinds>& kinds() {
  static const std::array<Attribute, kKinds> kAll{false,
                                                  std::int64_t{0},
                                                  0.0,
                                                  std::string(),
                                                  kFloat32,
                                                  std::vector<std::int64_t>{},
                                                  std::vector<double>{},
                                                  std::vector<std::string>{}};
  return kAll;
}

DType any_dtype(Dice& dice) {
  return static_cast<DType>(dice.below(static_cast<std::size_t>(kFloat64) + 1));
}

}  // namespace

std::int64_t RandomAttribute::integer() {
  if (dice_.chance(10)) return dice_.one_of(kEdges);
  return static_cast<std::int64_t>(dice_.below(8)) - 2;
}

double RandomAttribute::number() { return dice_.one_of(kNumbers); }

template <class T, class Make>
std::vector<T> RandomAttribute::list(const Make& make) {
  std::vector<T> values(dice_.chance(3) ? dice_.below(40) : dice_.below(6));
  for (T& value : values) value = make();
  return values;
}

template <class T, class Make>
std::vector<T> RandomAttribute::near_list(std::vector<T> values, const Make& make) {
  const std::size_t at = dice_.below(values.size() + 1);
  const auto position = values.begin() + static_cast<std::ptrdiff_t>(at);
  if (at == values.size() || dice_.chance(15)) {
    values.insert(position, make());
  } else if (dice_.chance(15)) {
    values.erase(position);
  } else {
    values[at] = make();
  }
  return values;
}

Attribute RandomAttribute::of_kind(const Attribute& like) {
  switch (like.index()) {
    case 0: return dice_.chance(50);
    case 1: return integer();
    case 2: return number();
    case 3: return dice_.one_of(words_);
    case 4: return any_dtype(dice_);
    case 5: return list<std::int64_t>([this] { return integer(); });
    case 6: return list<double>([this] { return number(); });
    default: return list<std::string>([this] { return dice_.one_of(words_); });
  }
}

Attribute RandomAttribute::any() { return of_kind(dice_.one_of(kinds())); }

Attribute RandomAttribute::near(const Attribute& value) {
  if (dice_.chance(30)) return of_kind(value);
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
    return near_list(*integers, [this] { return integer(); });
  }
  if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
    return near_list(*numbers, [this] { return number(); });
  }
  return of_kind(value);
}

}  // namespace loci::fuzz
