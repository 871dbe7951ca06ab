// Programs of several ops: what memory reuse, work in place and updates of state may not change.
#include <fmt/format.h>

#include <cmath>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

// Grows a random program over values of one shape. Every step takes values that others may still
// need, so that a buffer reused too early shows.
class RandomProgram {
 public:
  RandomProgram(std::uint64_t seed, Variables inputs)
      : bits_(seed), shape_(inputs[0].shape()), values_(std::move(inputs)) {}

  void grow(int steps) {
    for (int i = 0; i < steps; ++i) values_.push_back(next());
  }
  // Any value; the younger ones more often.
  Variable pick() {
    const std::uint64_t count = values_.size();
    return values_[std::max(bits_.below(count), bits_.below(count))];
  }

 private:
  Variable next() {
    const Variable x = pick();
    const Variable y = pick();
    switch (bits_.below(12)) {
      case 0: return scale(elementwise_add(x, y), 0.5);
      case 1: return elementwise_sub(x, y);
      case 2: return scale(elementwise_mul(x, y), 0.25, 0.5);
      case 3: return relu(x);
      case 4: return scale(x, -0.75, 0.125);
      case 5: return softmax(x, static_cast<int>(bits_.below(2)));
      case 6: return assign(x);
      case 7:
        return elementwise_add(x,
                               reduce_mean(y, {static_cast<std::int64_t>(bits_.below(2))}, true));
      case 8: return turned(x);
      case 9: return scale(matmul(matmul(x, y, false, true), x), 0.01);
      case 10: return cast(relu(cast(x, kFloat64)), kFloat32);
      default: return elementwise_div(x, scale(elementwise_mul(y, y), 1.0, 1.0));
    }
  }

  // Through another shape and back.
  Variable turned(const Variable& x) const {
    const Variable other = relu(reshape(x, {shape_[1], shape_[0]}));
    return reshape(scale(other, 0.5), {shape_[0], shape_[1]});
  }

  Bits bits_;
  Shape shape_;
  Variables values_;
};

// Values on the way, a result, and gradients.
Variables build_random(std::uint64_t seed, const Variables& inputs) {
  RandomProgram program(seed, inputs);
  program.grow(25);
  Variables outputs{program.pick(), program.pick()};
  program.grow(10);
  const Variable result = program.pick();
  outputs.push_back(result);
  const Variable loss =
      mean(elementwise_add(result, scale(elementwise_add(inputs[0], inputs[1]), 1e-3)));
  for (const Variable& grad : gradients(loss, inputs)) outputs.push_back(grad);
  return outputs;
}

Case random_case(std::uint64_t seed, const Shape& shape) {
  return {.op = "random",
          .variant = fmt::format("seed {}", seed),
          .inputs = {{kFloat32, shape, distinct(0.01L)}, {kFloat32, shape, uniform(-1, 1)}},
          .build = [=](const Variables& in) { return build_random(seed, in); }};
}

// A value read from a parameter before its update stays the old one, whatever op read it.
Case update_case(const char* reader, Variable (*read)(const Variable&)) {
  const Shape shape{3, 4};
  return {.op = "update",
          .variant = reader,
          .inputs = {{kFloat32, shape, integers(-8, 8), /*state=*/true},
                     {kFloat32, shape, integers(-8, 8)},
                     {kFloat32, {}, cycle({0.5L})}},
          .build =
              [=](const Variables& in) {
                const Variable before = read(in[0]);
                const Variable after = sgd(in[0], in[1], in[2]);
                return Variables{before, read(after), after};
              },
          .reference =
              [=](const Arrays& in) {
                Expected before = Expected::exact(kFloat32, shape);
                before.values = in[0].values;
                Expected after = before;
                for (std::size_t i = 0; i < after.size(); ++i)
                  after.values[i] -= in[1].values[i] / 2;
                return std::vector{before, after, after};
              }};
}

// One value, used as both operands and again afterwards.
Case shared_case() {
  return {.op = "shared operand",
          .inputs = {{kFloat32, {5, 7}, integers(-8, 8)}},
          .build =
              [](const Variables& in) {
                const Variable square = elementwise_mul(in[0], in[0]);
                const Variable twice = elementwise_add(square, square);
                return Variables{elementwise_sub(twice, square), square, twice};
              },
          .reference =
              [](const Arrays& in) {
                Expected square = Expected::exact(kFloat32, in[0].shape);
                Expected twice = square;
                for (std::size_t i = 0; i < square.size(); ++i) {
                  square.values[i] = in[0].values[i] * in[0].values[i];
                  twice.values[i] = 2 * square.values[i];
                }
                return std::vector{square, square, twice};
              },
          .differentiate = {0}};
}

}  // namespace

void add_programs_cases(Suite& suite) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const auto height = static_cast<std::int64_t>(1 + seed % 7);
    suite.add(random_case(seed, {height, 3 + height * 2}));
  }
  for (std::uint64_t seed = 24; seed < 28; ++seed) suite.add(random_case(seed, {65, 130}));
  suite.add(update_case("assign", [](const Variable& x) { return assign(x); }));
  suite.add(update_case("scale", [](const Variable& x) { return scale(x, 1.0); }));
  suite.add(update_case("reshape", [](const Variable& x) {
    return reshape(reshape(x, {12}), {3, 4});
  }));
  suite.add(shared_case());
}

}  // namespace loci::conformance
