#include <cstring>
#include <loci/plugin/philox.hpp>

#include "tests/plugins/cpu/cpu_plugin.h"

namespace loci::testing {
namespace {

Value state(std::uint64_t seed, std::uint64_t run_number) {
  Value value = empty_like(LOCI_DTYPE_U64, {2});
  const std::array<std::uint64_t, 2> words = {seed, run_number};
  std::memcpy(value.bytes.data(), words.data(), sizeof words);
  return value;
}

Call uniform(loci_dtype dtype, std::int64_t count, std::uint64_t seed, std::uint64_t run_number,
             std::int64_t offset, double low = 0, double high = 1) {
  return {"uniform_random",
          {state(seed, run_number)},
          {{dtype, {count}}},
          {{"low", low}, {"high", high}, {"offset", offset}, {"dtype", DTypeAttribute{dtype}}}};
}

Call gaussian(loci_dtype dtype, std::int64_t count, double mean, double deviation) {
  return {"gaussian_random",
          {state(7, 3)},
          {{dtype, {count}}},
          {{"mean", mean},
           {"deviation", deviation},
           {"offset", std::int64_t{0}},
           {"dtype", DTypeAttribute{dtype}}}};
}

TEST(FillConstant, ConvertsToEveryDtype) {
  for (const loci_dtype dtype : kNumbers) {
    const Call call{"fill_constant", {}, {{dtype, {2, 3}}}, {{"value", 5.0}}};
    EXPECT_EQ(run_one(call), std::vector<double>(6, 5.0)) << dtype_text(dtype);
  }
  EXPECT_EQ(run_one({"fill_constant", {}, {{LOCI_DTYPE_F32, {}}}, {{"value", 0.5}}}),
            std::vector<double>{0.5});
  EXPECT_EQ(run_one({"fill_constant", {}, {{LOCI_DTYPE_F32, {0, 4}}}, {{"value", 0.5}}}),
            std::vector<double>{});
}

// Known answers of the Random123 distribution.
TEST(Philox, GivesThePublishedWords) {
  EXPECT_EQ(sdk::philox4x32_10({0, 0, 0, 0}, 0),
            (sdk::PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(sdk::philox4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, ~0ULL),
            (sdk::PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      sdk::philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822ULL),
      (sdk::PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(UniformRandom, FollowsTheDocumentedArrangement) {
  const auto values = run_one(uniform(LOCI_DTYPE_F32, 11, 42, 5, 9));
  const auto wide = run_one(uniform(LOCI_DTYPE_F64, 11, 42, 5, 9));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto words = sdk::philox4x32_10(sdk::random_counter(i / 4, 5, 9), 42);
    EXPECT_EQ(values[i], std::ldexp(static_cast<double>(words[i % 4] >> 8), -24));
    const auto pair = sdk::philox4x32_10(sdk::random_counter(i / 2, 5, 9), 42);
    EXPECT_EQ(wide[i], sdk::uniform_double(pair[i % 2 * 2], pair[i % 2 * 2 + 1]));
  }
}

TEST(UniformRandom, DiffersBySeedRunAndOffset) {
  const auto base = run_one(uniform(LOCI_DTYPE_F32, 64, 1, 1, 1));
  EXPECT_EQ(run_one(uniform(LOCI_DTYPE_F32, 64, 1, 1, 1)), base);
  EXPECT_NE(run_one(uniform(LOCI_DTYPE_F32, 64, 2, 1, 1)), base);
  EXPECT_NE(run_one(uniform(LOCI_DTYPE_F32, 64, 1, 2, 1)), base);
  EXPECT_NE(run_one(uniform(LOCI_DTYPE_F32, 64, 1, 1, 2)), base);
}

TEST(UniformRandom, FillsTheRangeButNotItsEnd) {
  for (const loci_dtype dtype : kFloats) {
    const auto values = run_one(uniform(dtype, 300001, 3, 0, 0, -2, 6));
    double sum = 0;
    for (const double value : values) {
      ASSERT_GE(value, -2);
      ASSERT_LT(value, 6);
      sum += value;
    }
    EXPECT_NEAR(sum / 300001, 2, 0.05) << dtype_text(dtype);
  }
}

TEST(UniformRandom, StaysBelowAnEndThatRoundingWouldReach) {
  for (const loci_dtype dtype : kFloats) {
    const double high = dtype == LOCI_DTYPE_F64 ? 1e9 + 1e-6 : 1024;
    const double low = dtype == LOCI_DTYPE_F64 ? 1e9 : 1023;
    for (const double value : run_one(uniform(dtype, 20000, 3, 0, 0, low, high))) {
      ASSERT_LT(value, high) << dtype_text(dtype);
    }
  }
}

TEST(GaussianRandom, HasTheMomentsOfANormal) {
  for (const loci_dtype dtype : kFloats) {
    const auto values = run_one(gaussian(dtype, 200001, 1, 2));
    double mean = 0;
    double variance = 0;
    double fourth = 0;
    for (const double value : values) mean += value / 200001;
    for (const double value : values) variance += std::pow(value - mean, 2) / 200001;
    for (const double value : values) fourth += std::pow(value - mean, 4) / 200001;
    EXPECT_NEAR(mean, 1, 0.02) << dtype_text(dtype);
    EXPECT_NEAR(variance, 4, 0.06) << dtype_text(dtype);
    EXPECT_NEAR(fourth / (variance * variance), 3, 0.1) << dtype_text(dtype);
  }
}

TEST(GaussianRandom, IsBoxMullerOfTheDocumentedWords) {
  const auto values = run_one(gaussian(LOCI_DTYPE_F32, 4, 0, 1));
  const auto words = sdk::philox4x32_10(sdk::random_counter(0, 3, 0), 7);
  for (std::size_t i = 0; i < 4; i += 2) {
    const double radius = std::sqrt(-2 * std::log(sdk::positive_uniform(words[i])));
    const double angle = 2 * M_PI * sdk::angle_uniform(words[i + 1]);
    EXPECT_EQ(values[i], static_cast<float>(radius * std::cos(angle)));
    EXPECT_EQ(values[i + 1], static_cast<float>(radius * std::sin(angle)));
  }
}

TEST(RandomAdvance, AddsOneToTheRun) {
  const Value out =
      run({"random_advance", {state(9, 41)}, {{LOCI_DTYPE_U64, {2}}}, {}, {{0, 0}}})[0];
  EXPECT_EQ(out.data<std::uint64_t>()[0], 9U);
  EXPECT_EQ(out.data<std::uint64_t>()[1], 42U);
}

}  // namespace
}  // namespace loci::testing
