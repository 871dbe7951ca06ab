#include <functional>

#include "tests/plugins/cpu/cpu_plugin.h"

namespace loci::testing {
namespace {

using BinaryFn = std::function<double(double, double)>;

struct Binary {
  const char* op;
  BinaryFn function;
};

const std::vector<Binary>& binaries() {
  static const std::vector<Binary> list = {{"elementwise_add", std::plus<>()},
                                           {"elementwise_sub", std::minus<>()},
                                           {"elementwise_mul", std::multiplies<>()},
                                           {"elementwise_div", std::divides<>()}};
  return list;
}

Dims broadcast_dims(const Dims& x, const Dims& y) {
  Dims out(std::max(x.size(), y.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t a = i < x.size() ? x[x.size() - 1 - i] : 1;
    const std::int64_t b = i < y.size() ? y[y.size() - 1 - i] : 1;
    out[out.size() - 1 - i] = a == 1 ? b : a;
  }
  return out;
}

// Element `index` of the result as seen by an operand.
std::size_t operand_index(std::size_t index, const Dims& out, const Dims& operand) {
  std::size_t result = 0;
  std::size_t stride = 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto extent = static_cast<std::size_t>(out[out.size() - 1 - i]);
    const std::size_t coordinate = index % extent;
    index /= extent;
    if (i >= operand.size()) continue;
    const std::int64_t own = operand[operand.size() - 1 - i];
    if (own != 1) result += coordinate * stride;
    stride *= static_cast<std::size_t>(own);
  }
  return result;
}

double rounded(loci_dtype dtype, double value) {
  return to_doubles(value_of(dtype, {1}, {value}))[0];
}

void check_binary(const Binary& binary, loci_dtype dtype, const Dims& x_dims, const Dims& y_dims) {
  SCOPED_TRACE(std::string(binary.op) + " " + dtype_text(dtype) + " " +
               ::testing::PrintToString(x_dims) + ::testing::PrintToString(y_dims));
  const Value x = random_value(dtype, x_dims, 1, 10, 1);
  const Value y = random_value(dtype, y_dims, 1, 5, 2);
  const Dims out = broadcast_dims(x_dims, y_dims);
  const auto actual = run_one({binary.op, {x, y}, {{dtype, out}}});
  const auto a = to_doubles(x);
  const auto b = to_doubles(y);
  std::vector<double> expected(actual.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double value =
        binary.function(a[operand_index(i, out, x_dims)], b[operand_index(i, out, y_dims)]);
    expected[i] = epsilon(dtype) == 0 ? std::trunc(value) : rounded(dtype, value);
  }
  if (dtype >= LOCI_DTYPE_U8 && dtype <= LOCI_DTYPE_U64) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (expected[i] < 0) expected[i] = actual[i];  // wraps; checked on its own
    }
  }
  // A product rounded to float32 first may end up on the other side of a tie.
  expect_near(actual, expected, 2 * epsilon(dtype));
}

TEST(ElementwiseBinary, BroadcastsEveryNumberDtype) {
  const std::vector<std::pair<Dims, Dims>> shapes = {{{}, {}},
                                                     {{1}, {1}},
                                                     {{7}, {7}},
                                                     {{100}, {1}},
                                                     {{1}, {100}},
                                                     {{3, 5}, {5}},
                                                     {{5}, {3, 5}},
                                                     {{4, 1}, {1, 6}},
                                                     {{2, 3, 4}, {3, 1}},
                                                     {{2, 1, 4}, {1, 3, 1}},
                                                     {{2, 3, 4, 5}, {3, 1, 5}},
                                                     {{0, 3}, {3}},
                                                     {{2, 3, 17, 19}, {1, 3, 1, 1}}};
  for (const Binary& binary : binaries()) {
    for (const loci_dtype dtype : kNumbers) {
      for (const auto& [x, y] : shapes) check_binary(binary, dtype, x, y);
    }
  }
}

TEST(ElementwiseBinary, SplitsLargeOnesAmongThreads) {
#ifdef NDEBUG
  constexpr std::size_t kEach = 1;
#else
  constexpr std::size_t kEach = 5;  // they share the loop, and millions of numbers take their time
#endif
  const std::vector<Binary>& all = binaries();
  for (std::size_t i = 0; i < all.size(); i += kEach) {
    check_binary(all[i], LOCI_DTYPE_F32, {700001}, {700001});
    check_binary(all[i], LOCI_DTYPE_F32, {301, 1, 1777}, {3, 1777});
  }
  EXPECT_GT(cpu_plugin().host().parallel_loops(), 0);
}

TEST(ElementwiseBinary, MayOverwriteAnInput) {
  for (const std::int64_t count : {1, 100, 300000}) {
    const Value x = random_value(LOCI_DTYPE_F32, {count}, -1, 1, 1);
    const Value y = random_value(LOCI_DTYPE_F32, {count}, 1, 2, 2);
    const Call call{"elementwise_div", {x, y}, {{LOCI_DTYPE_F32, {count}}}};
    const auto expected = run_one(call);
    for (const std::uint32_t input : {0U, 1U}) {
      Call in_place = call;
      in_place.in_place = {{0, input}};
      EXPECT_EQ(run_one(in_place), expected);
    }
  }
}

TEST(ElementwiseBinary, IntegersWrapAndNeverTrap) {
  const auto compute = [](const char* op, loci_dtype dtype, double x, double y) {
    return run_one({op, {value_of(dtype, {1}, {x}), value_of(dtype, {1}, {y})}, {{dtype, {1}}}})[0];
  };
  EXPECT_EQ(compute("elementwise_add", LOCI_DTYPE_I8, 127, 1), -128);
  EXPECT_EQ(compute("elementwise_mul", LOCI_DTYPE_U16, 65535, 65535), 1);
  EXPECT_EQ(compute("elementwise_sub", LOCI_DTYPE_U32, 0, 1), 4294967295.0);
  EXPECT_EQ(compute("elementwise_div", LOCI_DTYPE_I32, 5, 0), 0);
  EXPECT_EQ(compute("elementwise_div", LOCI_DTYPE_I32, -2147483648.0, -1), -2147483648.0);
  EXPECT_EQ(compute("elementwise_div", LOCI_DTYPE_I64, -7, 2), -3);
}

TEST(Relu, KeepsNanAndCutsNegatives) {
  for (const loci_dtype dtype : kFloats) {
    const Value x = value_of(dtype, {4}, {-1.5, 0, 2.5, NAN});
    expect_near(run_one({"relu", {x}, {{dtype, {4}}}}), {0, 0, 2.5, NAN}, 0);
  }
  const Value x = value_of(LOCI_DTYPE_I8, {3}, {-128, 0, 5});
  EXPECT_EQ(run_one({"relu", {x}, {{LOCI_DTYPE_I8, {3}}}}), (std::vector<double>{0, 0, 5}));
}

TEST(Relu, GradientPassesWhereTheResultIsPositive) {
  for (const loci_dtype dtype : kFloats) {
    const Value out = value_of(dtype, {3}, {0, 2, 0});
    const Value grad = value_of(dtype, {3}, {5, 6, 7});
    EXPECT_EQ(run_one({"relu_grad", {out, grad}, {{dtype, {3}}}}), (std::vector<double>{0, 6, 0}));
  }
}

TEST(Relu, LargeOnesAgreeWithSmallOnes) {
  const Value x = random_value(LOCI_DTYPE_F32, {500003}, -1, 1);
  const auto actual = run_one({"relu", {x}, {{LOCI_DTYPE_F32, {500003}}}});
  auto expected = to_doubles(x);
  for (double& value : expected) value = std::max(value, 0.0);
  EXPECT_EQ(actual, expected);
}

TEST(Scale, IsExactForIntegersAndRoundedOnceForFloats) {
  const auto scale = [](loci_dtype dtype, double x, double factor, double bias) {
    return run_one({"scale",
                    {value_of(dtype, {1}, {x})},
                    {{dtype, {1}}},
                    {{"scale", factor}, {"bias", bias}}})[0];
  };
  EXPECT_EQ(scale(LOCI_DTYPE_I64, 9007199254740992.0, 1, 2), 9007199254740994.0);
  EXPECT_EQ(scale(LOCI_DTYPE_I32, 7, -3, 1), -20);
  EXPECT_EQ(scale(LOCI_DTYPE_I32, 7, 0.5, 0), 3);
  EXPECT_EQ(scale(LOCI_DTYPE_U8, 200, 2.5, 0), 255);
  for (const loci_dtype dtype : kFloats) EXPECT_EQ(scale(dtype, 1.5, 2, -0.5), 2.5);
}

TEST(Cast, CoversEveryPair) {
  std::vector<loci_dtype> dtypes(kNumbers.begin(), kNumbers.end());
  dtypes.push_back(LOCI_DTYPE_BOOL);
  for (const loci_dtype from : dtypes) {
    for (const loci_dtype to : dtypes) {
      SCOPED_TRACE(std::string(dtype_text(from)) + " to " + dtype_text(to));
      const Value x =
          value_of(from, {40}, std::vector<double>(40, from == LOCI_DTYPE_BOOL ? 1 : 3));
      const double expected = from == LOCI_DTYPE_BOOL || to == LOCI_DTYPE_BOOL ? 1 : 3;
      EXPECT_EQ(run_one({"cast", {x}, {{to, {40}}}, {{"dtype", DTypeAttribute{to}}}}),
                std::vector<double>(40, expected));
    }
  }
}

TEST(Cast, DefinesWhatDoesNotFit) {
  const auto cast = [](loci_dtype from, loci_dtype to, double value) {
    return run_one(
        {"cast", {value_of(from, {1}, {value})}, {{to, {1}}}, {{"dtype", DTypeAttribute{to}}}})[0];
  };
  EXPECT_EQ(cast(LOCI_DTYPE_F32, LOCI_DTYPE_I8, -1e9), -128);
  EXPECT_EQ(cast(LOCI_DTYPE_F32, LOCI_DTYPE_I8, 300), 127);
  EXPECT_EQ(cast(LOCI_DTYPE_F64, LOCI_DTYPE_U32, -1), 0);
  EXPECT_EQ(cast(LOCI_DTYPE_F64, LOCI_DTYPE_I64, INFINITY), 9223372036854775807.0);
  EXPECT_EQ(cast(LOCI_DTYPE_F32, LOCI_DTYPE_I32, NAN), 0);
  EXPECT_EQ(cast(LOCI_DTYPE_F32, LOCI_DTYPE_I32, -2.9), -2);
  EXPECT_EQ(cast(LOCI_DTYPE_F32, LOCI_DTYPE_BOOL, NAN), 1);
  EXPECT_EQ(cast(LOCI_DTYPE_I32, LOCI_DTYPE_U8, 257), 1);
  EXPECT_EQ(cast(LOCI_DTYPE_F64, LOCI_DTYPE_F16, 1e6), INFINITY);
  // Just above the middle between two float16: rounding to float32 first would lose the excess.
  EXPECT_EQ(cast(LOCI_DTYPE_F64, LOCI_DTYPE_F16, 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
}

TEST(Copies, KeepEveryByte) {
  for (const char* op : {"assign", "reshape", "flatten"}) {
    const Value x = random_value(LOCI_DTYPE_I16, {3, 4, 5}, -100, 100);
    EXPECT_EQ(run({op, {x}, {{LOCI_DTYPE_I16, {12, 5}}}})[0].bytes, x.bytes) << op;
    EXPECT_EQ(run({op, {x}, {{LOCI_DTYPE_I16, {12, 5}}}, {}, {{0, 0}}})[0].bytes, x.bytes) << op;
  }
  const Value x = random_value(LOCI_DTYPE_F64, {6}, -1, 1);
  EXPECT_EQ(
      run({"reshape_like", {x, metadata(LOCI_DTYPE_I8, {2, 3})}, {{LOCI_DTYPE_F64, {2, 3}}}})[0]
          .bytes,
      x.bytes);
  EXPECT_EQ(run({"assign", {empty_like(LOCI_DTYPE_F32, {0})}, {{LOCI_DTYPE_F32, {0}}}})[0].numel(),
            0U);
}

TEST(Sgd, UpdatesTheParameterInPlace) {
  for (const loci_dtype dtype : kFloats) {
    for (const std::int64_t count : {1, 33, 200000}) {
      const Value param = random_value(dtype, {count}, -1, 1, 1);
      const Value grad = random_value(dtype, {count}, -1, 1, 2);
      const Value rate = value_of(LOCI_DTYPE_F32, {1}, {0.125});
      const auto actual = run_one({"sgd", {param, grad, rate}, {{dtype, {count}}}, {}, {{0, 0}}});
      auto expected = to_doubles(param);
      const auto slope = to_doubles(grad);
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] -= 0.125 * slope[i];
      expect_near(actual, expected, 2 * epsilon(dtype), epsilon(dtype));
    }
  }
}

}  // namespace
}  // namespace loci::testing
