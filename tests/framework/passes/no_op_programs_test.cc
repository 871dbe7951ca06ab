// Random programs full of operators that change nothing, or nearly so, with and without them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <loci/control_flow.hpp>
#include <loci/executor.hpp>
#include <loci/inspect.hpp>
#include <loci/ops.hpp>
#include <string>
#include <vector>

#include "tests/fuzz/dice.h"

namespace loci {
namespace {

using fuzz::Dice;

constexpr std::array kDtypes = {kFloat32, kFloat64, kFloat16, kBFloat16, kInt32, kUInt8, kInt64};

Tensor fed_elements(Dice& dice, const Shape& shape, DType dtype) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr std::array kSpecial = {-0.0F, 0.0F, 1.0F, -1.0F, kInfinity, -kInfinity, 1e-42F};
  std::vector<float> elements(static_cast<std::size_t>(shape.numel()));
  for (float& element : elements) {
    element = dice.chance(30) ? dice.one_of(kSpecial)
                              : (static_cast<float>(dice.below(20001)) - 10000.0F) / 77.0F;
  }
  return cast(Tensor::from<float>(elements, shape), dtype);
}

class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : dice_(seed), dtype_(dice_.one_of(kDtypes)) {
    const ProgramGuard guard(main_, startup_);
    static const std::vector<Shape> kShapes = {{2, 3}, {1, 4}, {3, 1}, {2, 3, 4}, {0, 2}, {5}};
    for (int i = 0; i < 2; ++i) {
      const Shape shape = dice_.one_of(kShapes);
      const std::string name = "x" + std::to_string(i);
      values_.push_back(data(name, shape, dtype_));
      feed_.emplace_back(name, fed_elements(dice_, shape, dtype_));
    }
    const std::size_t steps = 4 + dice_.below(24);
    for (std::size_t i = 0; i < steps; ++i) add_step();
    if (dice_.chance(40)) add_branch();
    fetched_.emplace_back(relu(values_.back()));
    for (const Variable& value : values_) {
      if (dice_.chance(15)) fetched_.emplace_back(value);
    }
  }

  [[nodiscard]] std::vector<Tensor> run(const CompileOptions& options) const {
    return Executor("cpu", options, Scope()).run(main_, feed_, fetched_);
  }
  [[nodiscard]] std::size_t operators(const CompileOptions& options) const {
    Executor executor("cpu", options, Scope());
    return inspect::plan(executor, main_, feed_, fetched_).operators.size();
  }

 private:
  // Picks late values more often, so that there are chains.
  Variable some() { return dice_.chance(70) ? values_.back() : dice_.one_of(values_); }

  void add_step() { values_.push_back(step(some())); }

  void add_branch() {
    const Variable x = some();
    const Variable flag = data("flag", {1}, kBool);
    feed_.emplace_back("flag",
                       cast(Tensor::from<float>({dice_.chance(50) ? 1.0F : 0.0F}, {1}), kBool));
    const Variable other = step(x);
    values_.push_back(cond(
        flag, [&] { return relu(assign(moved(moved(x)))); }, [&] { return assign(x); }));
    values_.push_back(other);
  }

  Variable step(const Variable& x) {
    switch (dice_.below(6)) {
      case 0: return relu(x);
      case 1: return by_number(x);
      case 2: return converted(x);
      case 3: return part(x);
      default: return moved(x);
    }
  }

  std::vector<std::int64_t> some_order(int rank) {
    std::vector<std::int64_t> order;
    for (int i = 0; i < rank; ++i) order.push_back(i);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[dice_.below(i)]);
    return order;
  }

  Variable moved(const Variable& x) {
    const Shape shape = x.shape();
    switch (dice_.below(8)) {
      case 0:
      case 1:
      case 2: return transpose(x, some_order(shape.rank()));
      case 3: return reshape(x, {-1});
      case 4: return reshape(x, shape.dims());
      case 5: return shape.rank() < 5 ? unsqueeze(x, {0}) : squeeze(x);
      case 6: return squeeze(x);
      default: return flatten(x);
    }
  }

  Variable by_number(const Variable& x) {
    constexpr std::array kNumbers = {0.0, -0.0, 1.0, 2.0};
    const double number = dice_.one_of(kNumbers);
    const Shape shape = dice_.chance(50) ? x.shape() : Shape{1};
    const Variable constant = fill_constant(shape, number, dtype_);
    switch (dice_.below(6)) {
      case 0: return elementwise_add(x, constant);
      case 1: return elementwise_sub(x, constant);
      case 2: return elementwise_mul(constant, x);
      case 3: return elementwise_div(x, constant);
      case 4: return elementwise_mul(x, constant);
      default: return scale(x, number, dice_.one_of(kNumbers));
    }
  }

  Variable converted(const Variable& x) {
    static const std::vector<DType> kThere = {kFloat16, kBFloat16, kFloat32, kFloat64, kInt8,
                                              kUInt16,  kInt32,    kInt64,   kBool};
    return OpCall<Variable>("cast")
        .input("x", cast(x, dice_.one_of(kThere)))
        .attr("dtype", dtype_)
        .result();
  }

  Variable part(const Variable& x) {
    const Shape shape = x.shape();
    constexpr std::array kSteps = {std::int64_t{1}, std::int64_t{-1}};
    switch (dice_.below(7)) {
      case 0: return concat(std::vector<Variable>{x});
      case 1: return sum(std::vector<Variable>{x});
      case 2: return split(x, 1).front();
      case 3: return assign(x);
      case 4: return expand(x, shape.dims());
      case 5: return is_floating(dtype_) ? dropout(x, 0.25, /*is_test=*/true) : assign(x);
      default: break;
    }
    if (shape.rank() == 0) return assign(x);
    const bool backwards = dice_.one_of(kSteps) < 0;
    return backwards ? slice(x, {0}, {-1}, {-99}, {-1}) : slice(x, {0}, {0}, {99});
  }

  Dice dice_;
  DType dtype_;
  Program main_;
  Program startup_;
  Feed feed_;
  std::vector<Fetch> fetched_;
  std::vector<Variable> values_;
};

bool is_nan(const Tensor& wide, std::int64_t i) {
  return wide.dtype() == kFloat64 && std::isnan(static_cast<const double*>(wide.read_data())[i]);
}

// To the bit, signs of zeros included; of NaN only that it is one.
void expect_same_bits(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.dtype(), b.dtype());
  ASSERT_EQ(a.shape(), b.shape());
  const DType wide = is_floating(a.dtype()) ? kFloat64 : kInt64;
  const Tensor x = cast(a, wide);
  const Tensor y = cast(b, wide);
  const auto* left = static_cast<const char*>(x.read_data());
  const auto* right = static_cast<const char*>(y.read_data());
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const bool same = std::memcmp(left + 8 * i, right + 8 * i, 8) == 0;
    ASSERT_TRUE(same || (is_nan(x, i) && is_nan(y, i))) << "element " << i;
  }
}

TEST(NoOpProgramsTest, TwoHundredProgramsHaveTheBitsOfTheirOperators) {
  CompileOptions without = CompileOptions::exact();
  without.disabled_passes = {"no_op_elimination"};
  std::size_t fewer = 0;
  std::size_t all = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomProgram program(seed);
    const std::vector<Tensor> expected = program.run(without);
    const std::vector<Tensor> actual = program.run(CompileOptions::exact());
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      SCOPED_TRACE("output " + std::to_string(i));
      expect_same_bits(actual[i], expected[i]);
      if (::testing::Test::HasFatalFailure()) return;
    }
    if (seed % 10 != 0) continue;
    fewer += program.operators(CompileOptions::exact());
    all += program.operators(without);
  }
  EXPECT_LT(fewer * 10, all * 9);
}

}  // namespace
}  // namespace loci
