// Random chains of elementwise operators, fused and one by one, to the bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <loci/executor.hpp>
#include <loci/inspect.hpp>
#include <loci/ops.hpp>
#include <string>
#include <vector>

#include "tests/fuzz/dice.h"

namespace loci {
namespace {

using fuzz::Dice;

constexpr std::array kFloatDtypes = {kFloat32, kFloat64, kFloat16, kBFloat16};

// Elements of every kind, in the dtype; that many percent are special.
Tensor random_elements(Dice& dice, const Shape& shape, DType dtype, std::size_t special = 6) {
  std::vector<float> elements(static_cast<std::size_t>(shape.numel()));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr std::array kSpecial = {
      0.0F,   -0.0F, 1.0F,  -1.0F, kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(),
      1e-42F, 6e4F,  -3e38F};
  for (float& element : elements) {
    element = dice.chance(special) ? dice.one_of(kSpecial)
                                   : (static_cast<float>(dice.below(20001)) - 10000.0F) / 2500.0F;
  }
  return cast(Tensor::from<float>(elements, shape), dtype);
}

// Some chains of one program, with what is fed to them.
class RandomChains {
 public:
  RandomChains(std::uint64_t seed, int chains) : dice_(seed) {
    const ProgramGuard guard(main_, startup_);
    for (int i = 0; i < chains; ++i) add_chain();
  }

  [[nodiscard]] std::vector<Tensor> run(const CompileOptions& options) const {
    return Executor("cpu", options).run(main_, feed_, fetched_);
  }
  [[nodiscard]] std::size_t operators(const CompileOptions& options) const {
    Executor executor("cpu", options);
    return inspect::plan(executor, main_, feed_, fetched_).operators.size();
  }

 private:
  void add_chain() {
    static const std::vector<Shape> kShapes = {{},     {1},    {7},      {0},       {3, 0},
                                               {3, 5}, {2, 9}, {1, 33},  {5, 64},   {2, 3, 4},
                                               {255},  {2049}, {3, 700}, {2, 1025}, {4100}};
    shape_ = dice_.one_of(kShapes);
    dtype_ = dice_.one_of(kFloatDtypes);
    floats_.clear();
    bools_.clear();
    const std::size_t inputs = 1 + dice_.below(4);
    for (std::size_t i = 0; i < inputs; ++i) floats_.push_back(input(i == 0));
    // Each step reads a value of the whole shape; of those there is at least one.
    const std::size_t steps = 2 + dice_.below(dice_.chance(10) ? 60 : 9);
    for (std::size_t i = 0; i < steps; ++i) add_step();
    fetched_.emplace_back(floats_.back());
    while (dice_.chance(40)) fetched_.emplace_back(dice_.one_of(floats_));
    if (!bools_.empty() && dice_.chance(50)) fetched_.emplace_back(dice_.one_of(bools_));
  }

  // Makes an input of the chain's shape, or of one that is broadcast to it.
  Variable input(bool whole) {
    Shape shape = shape_;
    if (!whole && dice_.chance(40)) {
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (dice_.chance(50)) shape.set(axis, 1);
      }
      if (dice_.chance(20)) shape = Shape{};
    }
    const std::string name = "x" + std::to_string(feed_.size());
    Variable made = data(name, shape, dtype_);
    feed_.emplace_back(name, random_elements(dice_, shape, dtype_));
    // An operator of its own, so that the input's memory can be taken over.
    return dice_.chance(30) && shape.rank() > 0 ? transpose_twice(made) : made;
  }

  static Variable transpose_twice(const Variable& x) {
    const int rank = x.shape().rank();
    std::vector<std::int64_t> order;
    for (int axis = rank; axis-- > 0;) order.push_back(axis);
    return transpose(transpose(x, order), order);
  }

  Variable some() { return dice_.one_of(floats_); }
  // Returns a value of the chain's shape: the first input, or one computed from such a value.
  Variable whole() {
    for (int tries = 0; tries < 20; ++tries) {
      Variable value = some();
      if (value.shape() == shape_) return value;
    }
    return floats_.front();
  }

  void add_step() {
    const std::size_t kind = dice_.below(100);
    if (kind < 40) return floats_.push_back(unary(whole()));
    if (kind < 70) return floats_.push_back(binary(whole(), some()));
    if (kind < 80) return floats_.push_back(gradient(whole(), whole()));
    if (kind < 86) return floats_.push_back(there_and_back(whole()));
    if (kind < 95 || bools_.empty()) return bools_.push_back(comparison(whole(), some()));
    floats_.push_back(where(dice_.one_of(bools_), whole(), some()));
  }

  Variable unary(const Variable& x) {
    switch (dice_.below(17)) {
      case 0: return relu(x);
      case 1: return tanh(x);
      case 2: return dice_.chance(50) ? sigmoid(x) : hard_swish(x);
      case 3: return gelu(x, dice_.chance(50));
      case 4: return exp(x);
      case 5: return log(x);
      case 6: return sqrt(x);
      case 7: return rsqrt(x);
      case 8: return floor(x);
      case 9: return ceil(x);
      case 10: return round(x);
      case 11: return abs(x);
      case 12: return square(x);
      case 13: return sign(x);
      case 14: return clip(x, -0.5, 1.5);
      case 15: return erf(x);
      default: return scale(x, -1.25, 0.3);
    }
  }

  Variable binary(const Variable& x, const Variable& y) {
    switch (dice_.below(10)) {
      case 0:
      case 1: return elementwise_add(x, y);
      case 2: return elementwise_sub(x, y);
      case 3: return elementwise_sub(y, x);
      case 4:
      case 5: return elementwise_mul(x, y);
      case 6: return elementwise_div(x, y);
      case 7: return elementwise_max(x, y);
      case 8: return elementwise_min(y, x);
      default: return dice_.chance(50) ? elementwise_pow(x, y) : elementwise_mod(x, y);
    }
  }

  Variable gradient(const Variable& x, const Variable& grad) {
    static const std::vector<std::string> kByResult = {"relu_grad", "tanh_grad", "sigmoid_grad"};
    switch (dice_.below(4)) {
      case 0:
        return OpCall<Variable>("gelu_grad")
            .input("x", x)
            .input("out_grad", grad)
            .attr("approximate", dice_.chance(50))
            .result();
      case 1:
        return OpCall<Variable>("clip_grad")
            .input("x", x)
            .input("out_grad", grad)
            .attr("min", -1.0)
            .attr("max", 0.5)
            .result();
      case 2:
        return OpCall<Variable>(dice_.chance(50) ? "elementwise_max_grad" : "elementwise_min_grad")
            .input("x", x)
            .input("y", whole())
            .input("out_grad", grad)
            .result();
      default:
        return OpCall<Variable>(dice_.one_of(kByResult))
            .input("out", x)
            .input("out_grad", grad)
            .result();
    }
  }

  Variable there_and_back(const Variable& x) {
    static const std::vector<DType> kThere = {kFloat16, kBFloat16, kFloat32, kFloat64,
                                              kInt8,    kInt32,    kUInt64,  kBool};
    return cast(cast(x, dice_.one_of(kThere)), dtype_);
  }

  Variable comparison(const Variable& x, const Variable& y) {
    if (!bools_.empty() && dice_.chance(30)) {
      const Variable other = dice_.one_of(bools_);
      return dice_.chance(50) ? logical_xor(other, dice_.one_of(bools_)) : logical_not(other);
    }
    return dice_.chance(50) ? less_than(x, y) : greater_equal(x, y);
  }

  Dice dice_;
  Program main_;
  Program startup_;
  Feed feed_;
  std::vector<Fetch> fetched_;
  Shape shape_;  // of the chain that is being added
  DType dtype_ = kFloat32;
  std::vector<Variable> floats_;
  std::vector<Variable> bools_;
};

// Which NaN it is depends on which operand a processor looks at first.
template <class T>
bool same_float(const void* a, const void* b) {
  T x;
  T y;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  return std::memcmp(a, b, sizeof x) == 0 || (std::isnan(x) && std::isnan(y));
}

void expect_same(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.dtype(), b.dtype());
  ASSERT_EQ(a.shape(), b.shape());
  // Widening keeps all there is.
  const bool is_float = is_floating(a.dtype());
  const Tensor x = is_float ? cast(a, kFloat64) : a;
  const Tensor y = is_float ? cast(b, kFloat64) : b;
  const std::size_t size = dtype_size(x.dtype());
  const auto* left = static_cast<const char*>(x.read_data());
  const auto* right = static_cast<const char*>(y.read_data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.numel());
       ++i, left += size, right += size) {
    const bool same = is_float ? same_float<double>(left, right) : *left == *right;
    ASSERT_TRUE(same) << "element " << i << " of " << dtype_name(a.dtype())
                      << a.shape().to_string();
  }
}

TEST(FusedChainsTest, FiveThousandChainsHaveTheBitsOfTheirOperators) {
  // Operators that change nothing stand for other operators here.
  CompileOptions fusing;
  fusing.disabled_passes = {"no_op_elimination"};
  CompileOptions plain;
  plain.disabled_passes = {"no_op_elimination", "elementwise_fusion"};
  constexpr int kPrograms = 500;
  constexpr int kChains = 10;
  std::size_t fused = 0;
  std::size_t single = 0;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomChains chains(seed, kChains);
    const std::vector<Tensor> expected = chains.run(plain);
    const std::vector<Tensor> actual = chains.run(fusing);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      SCOPED_TRACE("output " + std::to_string(i));
      expect_same(actual[i], expected[i]);
      if (HasFatalFailure()) return;
    }
    if (seed % 50 != 0) continue;
    fused += chains.operators(fusing);
    single += chains.operators(plain);
  }
  // Those of 16 bits stay.
  EXPECT_LT(fused * 10, single * 9);
}

// A result that may lie where an input does, and another step reads that input behind it.
TEST(FusedChainsTest, AnInputIsReadBeforeAResultTakesItsMemory) {
  Program main;
  Program startup;
  const ProgramGuard guard(main, startup);
  const Variable x = data("x", {4, 1000}, kFloat32);
  const Variable shared = softmax(x);
  const std::int64_t code = static_cast<std::int64_t>(kFloat32);
  const std::vector<Variable> results =
      OpCall<Variable>("fused_elementwise")
          .inputs_of("x", {shared})
          .attr("ops", std::vector<std::string>{"sqrt", "elementwise_mul"})
          .attr("operands", std::vector<std::int64_t>{1, 0, 2, 1, 0})
          .attr("dtypes", std::vector<std::int64_t>{code, code})
          .attr("results", std::vector<std::int64_t>{1, 2})
          .results();
  Dice dice(1);
  const Feed feed{{"x", random_elements(dice, {4, 1000}, kFloat32, 0)}};
  const std::vector<Fetch> fetched{softmax(results[0]), softmax(results[1])};
  const auto actual = Executor("cpu").run(main, feed, fetched);
  const auto expected = Executor("cpu", CompileOptions::none()).run(main, feed, fetched);
  for (std::size_t i = 0; i < actual.size(); ++i) expect_same(actual[i], expected[i]);
}

// A row of float64 has as many bytes as the result of twice as many float32.
TEST(FusedChainsTest, ARowWhoseMemoryTheResultTakesIsCopied) {
  Program main;
  Program startup;
  const ProgramGuard guard(main, startup);
  const Variable row = data("row", {1, 3000}, kFloat64);
  const Variable y = data("y", {2, 3000}, kFloat64);
  const Variable out = softmax(cast(less_than(softmax(row), y), kFloat32));
  Dice dice(2);
  const Feed feed{{"row", random_elements(dice, {1, 3000}, kFloat64, 0)},
                  {"y", scale(random_elements(dice, {2, 3000}, kFloat64, 0), 1e-4)}};
  const auto actual = Executor("cpu").run(main, feed, {out});
  const auto expected = Executor("cpu", CompileOptions::none()).run(main, feed, {out});
  expect_same(actual[0], expected[0]);
}

}  // namespace
}  // namespace loci
