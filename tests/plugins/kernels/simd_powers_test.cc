#include "plugins/kernels/simd_powers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace loci::kernels::simd {
namespace {

struct PowerFunction {
  const char* name;
  float (*of_float)(float);
  double (*of_double)(double);
  long double (*expected)(long double);
  long double roundoffs;
};

long double exact_silu(long double x) { return x / (1 + std::exp(-x)); }
long double exact_softplus(long double x) {
  return x < 0 ? std::log1p(std::exp(x)) : x + std::log1p(std::exp(-x));
}

#define LOCI_POWER(name, exact, roundoffs)                                                             \
  PowerFunction {                                                                                      \
#name,                                                                                             \
        [](float                                                                                       \
               x) { return name(x); },                                                                 \
                                    [](double                                                          \
                                           x) { return name(x); },                                     \
                                                                [](long double                         \
                                                                       x) { return exact(x); },        \
                                                                                             roundoffs \
  }
const PowerFunction kPowerFunctions[] = {
    LOCI_POWER(exp2, std::exp2, 3),          LOCI_POWER(log2, std::log2, 4),
    LOCI_POWER(expm1, std::expm1, 5),        LOCI_POWER(log1p, std::log1p, 4),
    LOCI_POWER(sinh, std::sinh, 7),          LOCI_POWER(cosh, std::cosh, 4),
    LOCI_POWER(asinh, std::asinh, 7),        LOCI_POWER(acosh, std::acosh, 7),
    LOCI_POWER(atanh, std::atanh, 7),        LOCI_POWER(silu, exact_silu, 7),
    LOCI_POWER(softplus, exact_softplus, 6),
};
#undef LOCI_POWER

// NaN and infinity where it should be, else within the roundoffs.
template <class C>
bool is_near(C got, long double want, long double roundoffs) {
  const C rounded = static_cast<C>(want);
  if (std::isnan(want) || std::isinf(rounded) || std::isinf(got)) {
    return got == rounded || (std::isnan(got) && std::isnan(want));
  }
  const long double unit = std::numeric_limits<C>::epsilon() / 2;
  const long double bound =
      roundoffs * unit * std::abs(want) + std::numeric_limits<C>::denorm_min();
  return std::abs(static_cast<long double>(got) - want) <= bound;
}

TEST(SimdPowersTest, FloatsOfEverySize) {
  constexpr std::uint64_t kStep = 49999;
  for (const PowerFunction& function : kPowerFunctions) {
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32U); bits += kStep) {
      const auto x = from_bits<float>(static_cast<std::uint32_t>(bits));
      if (std::isinf(x)) continue;
      ASSERT_TRUE(is_near(function.of_float(x), function.expected(x), function.roundoffs))
          << function.name << ' ' << x << ' ' << function.of_float(x);
    }
  }
}

TEST(SimdPowersTest, Doubles) {
  for (const PowerFunction& function : kPowerFunctions) {
    for (double magnitude = 1e-300; magnitude < 1e300; magnitude *= 1.37) {
      for (const double x : {magnitude, -magnitude}) {
        ASSERT_TRUE(is_near(function.of_double(x), function.expected(x), function.roundoffs))
            << function.name << ' ' << x << ' ' << function.of_double(x);
      }
    }
  }
}

template <class C>
void expect_ends_of_powers() {
  constexpr C kInfinity = std::numeric_limits<C>::infinity();
  EXPECT_EQ(exp2(-kInfinity), 0);
  EXPECT_EQ(exp2(kInfinity), kInfinity);
  EXPECT_EQ(expm1(-kInfinity), -1);
  EXPECT_EQ(expm1(kInfinity), kInfinity);
  EXPECT_EQ(log1p(C{-1}), -kInfinity);
  EXPECT_EQ(log1p(kInfinity), kInfinity);
  EXPECT_EQ(sinh(-kInfinity), -kInfinity);
  EXPECT_EQ(cosh(-kInfinity), kInfinity);
  EXPECT_EQ(asinh(-kInfinity), -kInfinity);
  EXPECT_EQ(acosh(C{1}), 0);
  EXPECT_TRUE(std::isnan(acosh(C{0})));
  EXPECT_EQ(atanh(C{-1}), -kInfinity);
  EXPECT_TRUE(std::isnan(atanh(C{2})));
  EXPECT_EQ(silu(-kInfinity), 0);
  EXPECT_EQ(silu(kInfinity), kInfinity);
  EXPECT_EQ(softplus(-kInfinity), 0);
  EXPECT_EQ(softplus(kInfinity), kInfinity);
  for (const C zero : {C{0}, -C{0}}) {
    for (C (*function)(C) : {&expm1<C>, &log1p<C>, &sinh<C>, &asinh<C>, &atanh<C>, &silu<C>}) {
      EXPECT_EQ(function(zero), 0);
      EXPECT_EQ(std::signbit(function(zero)), std::signbit(zero));
    }
  }
}

TEST(SimdPowersTest, Ends) {
  expect_ends_of_powers<float>();
  expect_ends_of_powers<double>();
}

TEST(SimdPowersTest, PowersOfTwoAreExact) {
  for (int exponent = -149; exponent < 128; ++exponent) {
    const float power = std::ldexp(1.0F, exponent);
    EXPECT_EQ(exp2(static_cast<float>(exponent)), power);
    EXPECT_EQ(log2(power), static_cast<float>(exponent));
  }
}

}  // namespace
}  // namespace loci::kernels::simd
