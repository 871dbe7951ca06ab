#include "tests/random_models/model_builder.h"

#include <limits>

namespace loci::test {
namespace {

// Adds four uniform numbers, which is near enough.
double normal_number(fuzz::Dice& dice) {
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += static_cast<double>(dice.below(20001)) / 10000.0 - 1.0;
  return sum * 0.866;
}

float special_number(fuzz::Dice& dice, Special special) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr std::array kAll = {0.0F, -0.0F, kInfinity, -kInfinity, kNan, 1e-42F};
  return special == Special::kNan ? kNan : dice.one_of(kAll);
}

}  // namespace

Tensor random_numbers(fuzz::Dice& dice, const Shape& shape, double deviation, double mean,
                      Special special) {
  std::vector<float> elements(static_cast<std::size_t>(shape.numel()));
  for (float& element : elements) {
    const bool is_special = special != Special::kNone && dice.chance(2);
    element = is_special ? special_number(dice, special)
                         : static_cast<float>(normal_number(dice) * deviation + mean);
  }
  return Tensor::from<float>(elements, shape);
}

Variable ModelBuilder::parameter(const Shape& shape, DType dtype, double deviation, double mean) {
  const std::string name = "w" + std::to_string(parameters_.size());
  scope_.set(name, cast(random_numbers(dice_, shape, deviation, mean), dtype));
  parameters_.push_back(create_parameter(shape, dtype, initializer::constant(0), name));
  return parameters_.back();
}

Variable ModelBuilder::some() { return dice_.chance(60) ? values_.back() : dice_.one_of(values_); }

Variable ModelBuilder::another_like(const Variable& x) {
  std::vector<Variable> fitting;
  for (const Variable& value : values_) {
    if (value.shape() == x.shape() && value.dtype() == x.dtype()) fitting.push_back(value);
  }
  return fitting.empty() ? x : dice_.one_of(fitting);
}

Variable ModelBuilder::activation(const Variable& x) {
  switch (dice_.below(traits_.is_smooth ? 4 : 9)) {
    case 0: return tanh(x);
    case 1: return sigmoid(x);
    case 2: return gelu(x, dice_.chance(50));
    case 3: return x * sigmoid(x);
    case 4: return hard_swish(x);
    case 5: return x * (clip(x + 3.0, 0, 6) * (1.0 / 6));
    case 6: return clip(x, 0, 6);
    default: return relu(x);
  }
}

}  // namespace loci::test
