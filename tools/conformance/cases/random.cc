// uniform_random, gaussian_random, random_fold_in, random_advance.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <loci/ops.hpp>
#include <numbers>

#include "tools/conformance/case.h"
#include "tools/conformance/philox.h"

namespace loci::conformance {
namespace {

// Two parameters of a distribution: low and high, or mean and deviation.
struct Parameters {
  double first;
  double second;
};

// 53 bits from words 2i and 2i + 1, low word first.
Real wide_unit(const RandomWords& words, std::uint64_t i) {
  const auto high = std::uint64_t{words.word(2 * i + 1)} << 32;
  return static_cast<Real>((high | words.word(2 * i)) >> 11) * 0x1p-53L;
}

// The next smaller value of the dtype.
Real predecessor(DType dtype, Real value) {
  const Precision has = precision(dtype);
  if (value == 0) return -has.smallest();
  const int exponent = std::max(std::ilogb(value), has.min_exponent);
  const Real power = std::ldexp(Real{1}, exponent);
  const Real step = std::max(power * 2 * has.roundoff(), has.smallest());
  // Below a power of two the values are twice as dense.
  const bool halves = value == power && exponent > has.min_exponent;
  return value - (halves ? step / 2 : step);
}

// low + unit * extent, each step rounded to the dtype. In float64 itself, because a Real would
// round its product before that is rounded again.
Real point_at(DType computing, Real low, Real unit, Real extent) {
  if (computing == kFloat64) {
    const double product = static_cast<double>(unit) * static_cast<double>(extent);
    return static_cast<double>(low) + product;
  }
  return round_to(computing, low + round_to(computing, unit * extent));
}

// low + unit * (high - low), each step rounded to the dtype computed in; what rounding would bring
// up to `high` becomes the largest value below it. Where the difference has no number in that
// dtype, twice the same of the halves.
Expected uniform_values(const RandomWords& words, const Shape& shape, DType dtype,
                        const Parameters& range) {
  const DType computing = dtype == kFloat64 ? kFloat64 : kFloat32;
  const Real most = computing == kFloat64 ? std::numeric_limits<double>::max()
                                          : std::numeric_limits<float>::max();
  const double scale = Real{range.second} - Real{range.first} > most ? 2 : 1;
  const Real low = round_to(computing, range.first / scale);
  const Real extent = round_to(computing, range.second / scale - range.first / scale);
  Expected expected = Expected::exact(dtype, shape);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Real unit =
        dtype == kFloat64 ? wide_unit(words, i) : static_cast<Real>(words.word(i) >> 8) * 0x1p-24L;
    const Real sum = point_at(computing, low, unit, extent);
    Real value = round_to(dtype, sum * scale);
    if (value >= range.second) value = predecessor(dtype, value);
    expected.values[i] = value;
  }
  return expected;
}

// Box-Muller: pairs (r cos a, r sin a), r = sqrt(-2 ln u), a = 2 pi v.
Expected normal_values(const RandomWords& words, const Shape& shape, DType dtype,
                       const Parameters& normal) {
  Expected expected = Expected::bounded(dtype, shape);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::uint64_t first = i / 2 * 2;
    const bool wide = dtype == kFloat64;
    const Real u = wide ? wide_unit(words, first) + 0x1p-53L
                        : (static_cast<Real>(words.word(first)) + 1) * 0x1p-32L;
    const Real v =
        wide ? wide_unit(words, first + 1) : static_cast<Real>(words.word(first + 1)) * 0x1p-32L;
    const Real radius = std::sqrt(-2 * std::log(u));
    const Real angle = 2 * std::numbers::pi_v<Real> * v;
    const Real sample = radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
    expected.values[i] = normal.first + normal.second * sample;
    // Two units in the last place; float64 adds the rounding of the angle and the logarithm.
    expected.slack[i] = 4 * std::abs(expected.values[i]);
    if (wide) expected.slack[i] += 16 * normal.second * std::max(radius, Real{1});
  }
  return expected;
}

Case random_case(const std::string& op, const Shape& shape, DType dtype, Parameters parameters,
                 RandomState state) {
  const bool is_uniform = op == "uniform_random";
  const auto draw = [=] {
    return is_uniform ? uniform_random(shape, parameters.first, parameters.second, dtype)
                      : gaussian_random(shape, parameters.first, parameters.second, dtype);
  };
  // Two operators: the second has offset 1.
  return {.op = op,
          .variant = fmt::format("{}/{}/{},{}/seed={},run={}", dtype_name(dtype), shape.to_string(),
                                 parameters.first, parameters.second, state.seed, state.run),
          .build =
              [=](const Variables&) {
                const Variable first = draw();
                return Variables{first, draw()};
              },
          .reference =
              [=](const Arrays&) {
                std::vector<Expected> results;
                for (const std::uint64_t offset : {0, 1}) {
                  const RandomWords words(state.seed, state.run, offset);
                  results.push_back(is_uniform ? uniform_values(words, shape, dtype, parameters)
                                               : normal_values(words, shape, dtype, parameters));
                }
                return results;
              },
          .random = state};
}

// A state that adds to the offset, as of captured steps.
Case counted_case(const std::string& op, DType dtype, const RandomState& state) {
  constexpr std::uint64_t kBase = 5;
  constexpr std::int64_t kOffset = 2;
  const Shape shape{13};
  const bool is_uniform = op == "uniform_random";
  const Generator values =
      cycle({static_cast<Real>(state.seed), static_cast<Real>(state.run), Real{kBase}});
  return {
      .op = op,
      .variant = fmt::format("{}/counted/seed={},run={}", dtype_name(dtype), state.seed, state.run),
      .inputs = {{kUInt64, Shape{3}, values, /*state=*/true}},
      .build =
          [=](const Variables& in) {
            return OpCall<Variable>(op.c_str())
                .input("state", in[0])
                .attr("shape", shape.dims())
                .attr("dtype", dtype)
                .attr("offset", kOffset)
                .results();
          },
      .reference =
          [=](const Arrays&) {
            const RandomWords words(state.seed, state.run, kBase + kOffset);
            return std::vector{is_uniform ? uniform_values(words, shape, dtype, {0, 1})
                                          : normal_values(words, shape, dtype, {0, 1})};
          }};
}

Case advance_case(const RandomState& state) {
  const Generator values = cycle({static_cast<Real>(state.seed), static_cast<Real>(state.run)});
  return {.op = "random_advance",
          .variant = fmt::format("seed={},run={}", state.seed, state.run),
          .inputs = {{kUInt64, Shape{2}, values, /*state=*/true}},
          .build =
              [](const Variables& in) {
                return OpCall<Variable>("random_advance").input("state", in[0]).results();
              },
          .reference =
              [](const Arrays& in) {
                Expected expected = Expected::exact(kUInt64, Shape{2});
                expected.values = {in[0].values[0], in[0].values[1] + 1};
                return std::vector{expected};
              }};
}

// The state has two elements, or three with what is added to the offset; no index means 0.
Case fold_in_case(const RandomState& state, std::int64_t base, std::int64_t index) {
  constexpr std::int64_t kOffset = 3;
  std::vector<Real> elements{static_cast<Real>(state.seed), static_cast<Real>(state.run)};
  if (base > 0) elements.push_back(static_cast<Real>(base));
  const Shape shape{static_cast<std::int64_t>(elements.size())};
  return {
      .op = "random_fold_in",
      .variant = fmt::format("seed={},run={},base={},index={}", state.seed, state.run, base, index),
      .inputs = {{kUInt64, shape, cycle(elements), /*state=*/true}},
      .build =
          [=](const Variables& in) {
            OpCall<Variable> call("random_fold_in");
            call.input("state", in[0]).attr("offset", kOffset);
            if (index >= 0) {
              call.input("index", assign_value(std::vector<std::int64_t>{index}, {1}, kInt64));
            }
            return call.results();
          },
      .reference =
          [=](const Arrays&) {
            const RandomWords words(state.seed, state.run,
                                    static_cast<std::uint64_t>(base + kOffset));
            const std::uint64_t first = index < 0 ? 0 : 4 * static_cast<std::uint64_t>(index);
            const std::uint64_t high = words.word(first + 1);
            Expected expected = Expected::exact(kUInt64, Shape{2});
            expected.values = {static_cast<Real>(high << 32 | words.word(first)), Real{0}};
            return std::vector{expected};
          }};
}

}  // namespace

void add_random_cases(Suite& suite) {
  for (const std::int64_t base : {0, 7}) {
    for (const std::int64_t index : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1} << 33}) {
      suite.add(fold_in_case({0xFEDCBA9876543210, 0x0000ABCD00000005}, base, index));
    }
  }
  const RandomState zero{0, 0};
  const RandomState large{0xFEDCBA9876543210, 0x0000ABCD00000005};
  for (const DType dtype : kFloatTypes) {
    suite.add(counted_case("uniform_random", dtype, large));
    suite.add(counted_case("gaussian_random", dtype, large));
  }
  const Shape shapes[] = {{}, {1}, {0}, {5}, {3, 7}, {4099}};
  for (const DType dtype : kFloatTypes) {
    for (const Shape& shape : shapes) {
      suite.add(random_case("uniform_random", shape, dtype, {0, 1}, zero));
      suite.add(random_case("gaussian_random", shape, dtype, {0, 1}, zero));
    }
    suite.add(random_case("uniform_random", {4099}, dtype, {-0.3, 1.7}, large));
    suite.add(random_case("gaussian_random", {4099}, dtype, {-0.3, 1.7}, large));
    suite.add(random_case("gaussian_random", {9}, dtype, {2, 0}, large));
  }
  // Spans beyond the largest number, and the widest there are.
  suite.add(random_case("uniform_random", {4099}, kFloat16, {-65504, 65504}, large));
  suite.add(random_case("uniform_random", {4099}, kBFloat16, {-3e38, 3e38}, large));
  suite.add(random_case("uniform_random", {4099}, kFloat32, {-3e38, 3e38}, large));
  suite.add(random_case("uniform_random", {4099}, kFloat32, {-1e38, 3e38}, zero));
  suite.add(random_case("uniform_random", {4099}, kFloat64, {-1.7e308, 1.7e308}, large));
  suite.add(random_case("uniform_random", {300'001}, kFloat32, {0, 1}, large));
  suite.add(advance_case(zero));
  suite.add(advance_case(large));
}

}  // namespace loci::conformance
