#include "tests/fuzz/random_shape.h"

#include <algorithm>
#include <limits>

namespace loci::fuzz {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::array<std::int64_t, 10> kHuge{kMost,
                                             kMost - 1,
                                             std::int64_t{1} << 62,
                                             std::int64_t{1} << 48,
                                             std::int64_t{1} << 40,
                                             std::int64_t{1} << 32,
                                             (std::int64_t{1} << 31) - 1,
                                             std::int64_t{1} << 31,
                                             65536,
                                             1000};

std::int64_t random_extent(Dice& dice) {
  if (dice.chance(3)) return dice.one_of(kHuge);
  if (dice.chance(3)) return kDynamicDim;
  if (dice.chance(6)) return 0;
  return static_cast<std::int64_t>(1 + dice.below(5));
}

Shape of_rank(Dice& dice, std::size_t rank) {
  Shape shape;
  for (std::size_t i = 0; i < rank; ++i) shape.push_back(random_extent(dice));
  return shape;
}

std::vector<std::int64_t> with_one_more(Dice& dice, std::vector<std::int64_t> dims) {
  const auto at = static_cast<std::ptrdiff_t>(dice.below(dims.size() + 1));
  dims.insert(dims.begin() + at, dice.chance(50) ? 1 : random_extent(dice));
  return dims;
}

}  // namespace

Shape random_shape(Dice& dice) {
  return of_rank(dice, dice.chance(10) ? dice.below(Shape::kMaxRank + 1) : dice.below(5));
}

Shape related_shape(Dice& dice, const Shape& shape) {
  if (dice.chance(50)) return shape;
  if (dice.chance(10)) return random_shape(dice);
  std::vector<std::int64_t> dims = shape.dims();
  if (dims.empty() || (dice.chance(25) && shape.rank() < Shape::kMaxRank)) {
    return Shape(with_one_more(dice, std::move(dims)));
  }
  const std::size_t at = dice.below(dims.size());
  switch (dice.below(4)) {
    case 0: dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: dims[at] = 1; break;
    case 2: std::swap(dims[at], dims[dice.below(dims.size())]); break;
    default: dims[at] = random_extent(dice); break;
  }
  return Shape(dims);
}

Shape with_unknown_extent(Dice& dice, const Shape& shape) {
  Shape result = shape;
  if (shape.rank() > 0) {
    result.set(static_cast<int>(dice.below(static_cast<std::size_t>(shape.rank()))), kDynamicDim);
  }
  return result;
}

}  // namespace loci::fuzz
