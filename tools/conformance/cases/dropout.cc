// dropout and its gradient: which elements stay is known to the bit.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/philox.h"

namespace loci::conformance {
namespace {

constexpr const char* kModes[] = {"upscale_in_train", "downgrade_in_infer"};

struct Dropout {
  Shape x;
  double p;
  std::string mode = kModes[0];
  bool is_test = false;
  RandomState state{0xFEDCBA9876543210, 7};
  const char* note = "";

  // Returns the number that an element that stays is multiplied with.
  [[nodiscard]] Real factor() const {
    const Real stays = 1 - Real{p};
    const bool upscales = mode == kModes[0];
    if (is_test) return upscales ? 1 : stays;
    return upscales && p < 1 ? 1 / stays : 1;
  }
  [[nodiscard]] std::string variant() const {
    return fmt::format("p {}, {}{}, run {}{}", p, mode, is_test ? ", test" : "", state.run, note);
  }
};

// Element i stays if the number in [0, 1) that its word makes is at least p.
Expected mask_of(const Dropout& op, std::uint64_t offset) {
  Expected mask = Expected::exact(kUInt8, op.x);
  const RandomWords words(op.state.seed, op.state.run, offset);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const Real number = static_cast<Real>(words.word(i) >> 8) * 0x1p-24L;
    mask.values[i] = op.is_test || number >= Real{op.p} ? 1 : 0;
  }
  return mask;
}

// The roundings of the factor and of the product. A dropped element is 0 whatever was there.
Expected masked(const Dropout& op, const Array& x, const Array& mask) {
  Expected out = Expected::bounded(x.dtype, op.x);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (mask.values[i] == 0) continue;
    out.values[i] = x.values[i] * op.factor();
    if (std::isfinite(out.values[i])) out.slack[i] = 3 * std::abs(out.values[i]);
  }
  return out;
}

OpCall<Variable> call(const char* name, const Dropout& op) {
  OpCall<Variable> made(name);
  return made.attr("p", op.p).attr("mode", op.mode).attr("is_test", op.is_test);
}

// Two operators: the second has offset 1 and drops others.
Case dropout_case(DType dtype, const Dropout& op, const Generator& values) {
  const bool smooth = op.x.numel() > 0 && op.x.numel() < 100 && *op.note == '\0';
  return {
      .op = "dropout",
      .variant = op.variant(),
      .inputs = {{dtype, op.x, values}},
      .build =
          [=](const Variables& in) {
            Variables outputs = call("dropout", op).input("x", in[0]).results();
            outputs.push_back(dropout(in[0], op.p, op.is_test, op.mode));
            return outputs;
          },
      .reference =
          [=](const Arrays& in) {
            const Expected mask = mask_of(op, 0);
            return std::vector{masked(op, in[0], mask), mask, masked(op, in[0], mask_of(op, 1))};
          },
      .differentiate = smooth ? std::vector<std::size_t>{0} : std::vector<std::size_t>{},
      .random = op.state};
}

Case dropout_grad_case(DType dtype, const Dropout& op, const Generator& values) {
  const bool smooth = op.x.numel() > 0 && op.x.numel() < 100 && *op.note == '\0';
  return {
      .op = "dropout_grad",
      .variant = op.variant(),
      .inputs = {{dtype, op.x, values}, {kUInt8, op.x, integers(0, 1)}},
      .build =
          [=](const Variables& in) {
            return call("dropout_grad", op).input("out_grad", in[0]).input("mask", in[1]).results();
          },
      .reference = [=](const Arrays& in) { return std::vector{masked(op, in[0], in[1])}; },
      .differentiate = smooth ? std::vector<std::size_t>{0} : std::vector<std::size_t>{}};
}

// The share of elements that stay, within five standard deviations of what it has to be: a check of
// the bits that does not know how they are made.
Case rate_case(double p) {
  const Shape shape{200'000};
  const Dropout op{shape, p};
  return {.op = "dropout",
          .variant = fmt::format("rate of p {}", p),
          .inputs = {{kFloat32, shape, cycle({1})}},
          .build =
              [=](const Variables& in) {
                const Variable mask = call("dropout", op).input("x", in[0]).results()[1];
                return Variables{reduce_mean(cast(mask, kFloat64))};
              },
          .reference =
              [=](const Arrays&) {
                Expected rate = Expected::bounded(kFloat64, {});
                rate.values[0] = 1 - Real{p};
                const Real deviation =
                    std::sqrt(Real{p} * (1 - Real{p}) / static_cast<Real>(shape.numel()));
                rate.slack[0] = 5 * deviation / compute_precision(kFloat64).roundoff();
                return std::vector{rate};
              },
          .random = op.state};
}

void add_options(Suite& suite, DType dtype, Dropout op) {
  for (const char* mode : kModes) {
    for (const bool is_test : {false, true}) {
      op.mode = mode;
      op.is_test = is_test;
      suite.add(dropout_case(dtype, op, uniform(-2, 2)));
      suite.add(dropout_grad_case(dtype, op, uniform(-2, 2)));
    }
  }
}

}  // namespace

void add_dropout_cases(Suite& suite) {
  const Shape shapes[] = {{}, {1}, {0}, {5}, {3, 7}, {2, 0, 3}, {4099}};
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const Generator special = cycle({1, kInfinity, -kInfinity, NAN, -0.0L});
  for (const DType dtype : kFloatTypes) {
    for (const Shape& shape : shapes) {
      for (const double p : {0.0, 0.3, 1.0}) add_options(suite, dtype, {shape, p});
    }
    suite.add(dropout_case(dtype, {{4099}, 0.9, kModes[0], false, {1, 0x0000ABCD00000005}},
                           uniform(-2, 2)));
    Dropout op{{41}, 0.5};
    op.note = ", special values";
    suite.add(dropout_case(dtype, op, special));
    suite.add(dropout_grad_case(dtype, op, special));
  }
  suite.add(dropout_case(kFloat32, {{300'001}, 0.1}, uniform(-2, 2)));
  for (const double p : {0.1, 0.5, 0.99}) suite.add(rate_case(p));
}

}  // namespace loci::conformance
