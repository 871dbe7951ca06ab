// Reductions, softmax, losses and metrics.
#include <algorithm>

#include "tests/plugins/cpu/cpu_plugin.h"

namespace loci::testing {
namespace {

using Integers = std::vector<std::int64_t>;
using ::testing::HasSubstr;

struct Reduced {
  Dims dims;
  std::vector<std::size_t> target;  // of each element
  std::size_t outputs = 1;
};

Reduced reduce(const Dims& dims, const Integers& axes, bool keep_dim) {
  std::vector<bool> gone(dims.size(), axes.empty());
  for (const std::int64_t axis : axes) {
    gone[static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(dims.size())
                                           : axis)] = true;
  }
  Reduced result;
  std::size_t count = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    count *= static_cast<std::size_t>(dims[i]);
    if (!gone[i]) result.outputs *= static_cast<std::size_t>(dims[i]);
    if (!gone[i] || keep_dim) result.dims.push_back(gone[i] ? 1 : dims[i]);
  }
  for (std::size_t index = 0; index < count; ++index) {
    std::size_t rest = index;
    std::size_t target = 0;
    std::size_t stride = 1;
    for (std::size_t i = dims.size(); i-- > 0;) {
      const auto extent = static_cast<std::size_t>(dims[i]);
      if (!gone[i]) {
        target += rest % extent * stride;
        stride *= extent;
      }
      rest /= extent;
    }
    result.target.push_back(target);
  }
  return result;
}

struct ReduceCase {
  Dims dims;
  Integers axes;
  bool keep_dim = false;
};

void check_reduce(const ReduceCase& test, loci_dtype dtype) {
  SCOPED_TRACE(std::string(dtype_text(dtype)) + " " + ::testing::PrintToString(test.dims) +
               ::testing::PrintToString(test.axes));
  const Reduced reduced = reduce(test.dims, test.axes, test.keep_dim);
  const bool is_float = epsilon(dtype) != 0;
  const Value x = random_value(dtype, test.dims, is_float ? -1 : 0, 2, 1);
  const auto elements = to_doubles(x);
  std::vector<double> sums(reduced.outputs);
  for (std::size_t i = 0; i < elements.size(); ++i) sums[reduced.target[i]] += elements[i];
  const std::map<std::string, AttributeValue> attributes = {{"axes", test.axes},
                                                            {"keep_dim", test.keep_dim}};
  const double slack = 1e-14 * static_cast<double>(elements.size());
  expect_near(run_one({"reduce_sum", {x}, {{dtype, reduced.dims}}, attributes}), sums,
              1.01 * epsilon(dtype), slack);

  const Value grad = random_value(dtype, reduced.dims, is_float ? -1 : 0, 9, 2);
  const auto slopes = to_doubles(grad);
  const double count = static_cast<double>(elements.size()) / static_cast<double>(sums.size());
  std::vector<double> spread;
  for (const std::size_t target : reduced.target) spread.push_back(slopes[target]);
  EXPECT_EQ(run_one({"reduce_sum_grad",
                     {metadata(dtype, test.dims), grad},
                     {{dtype, test.dims}},
                     attributes}),
            spread);
  if (!is_float) return;
  for (double& sum : sums) sum /= count;
  expect_near(run_one({"reduce_mean", {x}, {{dtype, reduced.dims}}, attributes}), sums,
              1.01 * epsilon(dtype), slack);
  for (double& share : spread) share /= count;
  expect_near(run_one({"reduce_mean_grad",
                       {metadata(dtype, test.dims), grad},
                       {{dtype, test.dims}},
                       attributes}),
              spread, 2 * epsilon(dtype), dtype == LOCI_DTYPE_F16 ? 0x1p-25 : 0);
}

TEST(Reduce, SumsAndSpreadsOverAnyAxes) {
  const std::vector<ReduceCase> cases = {{{}, {}},
                                         {{5}, {}},
                                         {{3, 4}, {0}},
                                         {{3, 4}, {1}},
                                         {{3, 4}, {-1}, true},
                                         {{2, 3, 4}, {1}},
                                         {{2, 3, 4}, {0, 2}},
                                         {{2, 3, 4, 5}, {0, 2, 3}},
                                         {{2, 3, 4, 5}, {1, 3}, true},
                                         {{2, 1, 4}, {1}},
                                         {{1, 1, 1}, {}},
                                         {{7, 100}, {0}},
                                         {{100, 7}, {0}},
                                         {{37, 100}, {1}},
                                         {{3, 4}, {}, true},
                                         // Several strips of columns, and rows by fours.
                                         {{6, 1300}, {0}},
                                         {{2, 9, 1030}, {1}}};
  for (const loci_dtype dtype : kNumbers) {
    for (const ReduceCase& test : cases) check_reduce(test, dtype);
  }
}

TEST(Reduce, SplitsLargeOnesAmongThreads) {
  check_reduce({{1000003}, {}}, LOCI_DTYPE_F32);
  check_reduce({{501, 997}, {1}}, LOCI_DTYPE_F32);
  check_reduce({{501, 997}, {0}}, LOCI_DTYPE_F32);
}

TEST(Reduce, OfNothingIsZeroAndItsMeanIsNan) {
  const Value x = empty_like(LOCI_DTYPE_F32, {0, 3});
  const auto reduce_over = [&](const char* op, const Dims& out, const Integers& axes) {
    return run_one({op, {x}, {{LOCI_DTYPE_F32, out}}, {{"axes", axes}, {"keep_dim", false}}});
  };
  EXPECT_EQ(reduce_over("reduce_sum", {}, {}), std::vector<double>{0});
  EXPECT_EQ(reduce_over("reduce_sum", {3}, {0}), std::vector<double>(3, 0.0));
  EXPECT_EQ(reduce_over("reduce_sum", {0}, {1}), std::vector<double>{});
  expect_near(reduce_over("reduce_mean", {}, {}), {NAN}, 0);
}

TEST(Reduce, MeanIsOfAllElements) {
  for (const loci_dtype dtype : kFloats) {
    const Value x = random_value(dtype, {31, 70}, 0, 1);
    double sum = 0;
    for (const double element : to_doubles(x)) sum += element;
    expect_near(run_one({"mean", {x}, {{dtype, {}}}}), {sum / 2170}, 1.01 * epsilon(dtype), 1e-15);
  }
}

TEST(Reduce, SumLikeUndoesBroadcasting) {
  const Value x = random_value(LOCI_DTYPE_F64, {2, 3, 4}, -1, 1);
  const auto elements = to_doubles(x);
  for (const Dims& like : std::vector<Dims>{{}, {4}, {3, 1}, {2, 3, 4}, {1, 3, 1}, {1}}) {
    std::vector<double> expected;
    Integers axes;
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      const std::int64_t own = axis - 3 + static_cast<std::int64_t>(like.size());
      if (own < 0 || like[static_cast<std::size_t>(own)] == 1) axes.push_back(axis);
    }
    const Reduced reduced = axes.empty() ? Reduced{} : reduce(x.dims, axes, false);
    expected.resize(axes.empty() ? elements.size() : reduced.outputs);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      expected[axes.empty() ? i : reduced.target[i]] += elements[i];
    }
    expect_near(
        run_one({"reduce_sum_like", {x, metadata(LOCI_DTYPE_F64, like)}, {{LOCI_DTYPE_F64, like}}}),
        expected, 0, 1e-14);
  }
}

std::vector<double> softmax_of(const std::vector<double>& x, std::size_t outer, std::size_t count,
                               std::size_t inner) {
  std::vector<double> result(x.size());
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < inner; ++i) {
      const auto at = [&](std::size_t j) { return (o * count + j) * inner + i; };
      double max = -INFINITY;
      double sum = 0;
      for (std::size_t j = 0; j < count; ++j) max = std::max(max, x[at(j)]);
      for (std::size_t j = 0; j < count; ++j) sum += std::exp(x[at(j)] - max);
      for (std::size_t j = 0; j < count; ++j) result[at(j)] = std::exp(x[at(j)] - max) / sum;
    }
  }
  return result;
}

void check_softmax(const Dims& dims, std::int64_t axis, loci_dtype dtype,
                   const std::string& implementation) {
  SCOPED_TRACE(implementation + " " + dtype_text(dtype) + " " + ::testing::PrintToString(dims));
  const auto position =
      static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(dims.size()) : axis);
  std::size_t outer = 1;
  std::size_t inner = 1;
  for (std::size_t i = 0; i < position; ++i) outer *= static_cast<std::size_t>(dims[i]);
  for (std::size_t i = position + 1; i < dims.size(); ++i)
    inner *= static_cast<std::size_t>(dims[i]);
  const Value x = random_value(dtype, dims, -12, 12);
  const auto expected =
      softmax_of(to_doubles(x), outer, static_cast<std::size_t>(dims[position]), inner);
  Call call{"softmax", {x}, {{dtype, dims}}, {{"axis", axis}}, {}, implementation};
  // The difference to the maximum, up to 24, is rounded; exp makes that a relative error.
  const double relative =
      8 * epsilon(dtype) + 24 * std::min(epsilon(dtype), epsilon(LOCI_DTYPE_F32));
  const double smallest = dtype == LOCI_DTYPE_F16 ? 0x1p-25 : 0;
  expect_near(run_one(call), expected, relative, smallest);
  call.in_place = {{0, 0}};
  expect_near(run_one(call), expected, relative, smallest);
}

TEST(Softmax, NormalisesAlongAnyAxis) {
  for (const loci_dtype dtype : kFloats) {
    check_softmax({1}, 0, dtype, "portable");
    check_softmax({3, 10}, -1, dtype, "portable");
    check_softmax({5, 1000}, 1, dtype, "portable");
    check_softmax({4, 7, 33}, 1, dtype, "portable");
    check_softmax({9, 130}, 0, dtype, "portable");
    check_softmax({400, 500}, 1, dtype, "portable");
  }
}

TEST(Softmax, HandlesExtremes) {
  const auto softmax = [](const std::vector<double>& x) {
    const auto count = static_cast<std::int64_t>(x.size());
    return run_one({"softmax",
                    {value_of(LOCI_DTYPE_F32, {1, count}, x)},
                    {{LOCI_DTYPE_F32, {1, count}}},
                    {{"axis", std::int64_t{1}}}});
  };
  expect_near(softmax({1e38, -1e38, 1e38}), {0.5, 0, 0.5}, 0);
  expect_near(softmax({0, -INFINITY}), {1, 0}, 0);
  expect_near(softmax({0, NAN}), {NAN, NAN}, 0);
  expect_near(softmax({0, -88.5}), {1, std::exp(-88.5)}, 1e-5);
}

Value labels_of(loci_dtype dtype, Dims dims, std::int64_t classes) {
  Value value = random_value(dtype, std::move(dims), 0, static_cast<double>(classes) - 0.01, 5);
  return value;
}

const std::map<std::string, AttributeValue>& hard() {
  static const std::map<std::string, AttributeValue> attributes = {
      {"soft_label", false}, {"ignore_index", std::int64_t{-100}}};
  return attributes;
}
const std::map<std::string, AttributeValue>& soft() {
  static const std::map<std::string, AttributeValue> attributes = {
      {"soft_label", true}, {"ignore_index", std::int64_t{-100}}};
  return attributes;
}

TEST(CrossEntropy, HardLabels) {
  for (const loci_dtype dtype : kFloats) {
    for (const loci_dtype index : {LOCI_DTYPE_I32, LOCI_DTYPE_I64}) {
      const Value x = random_value(dtype, {5, 7}, 0.1, 1);
      Value label = labels_of(index, {5, 1}, 7);
      auto chosen = to_doubles(label);
      chosen[2] = -100;
      label = value_of(index, {5, 1}, chosen);
      const Value grad = random_value(dtype, {5, 1}, -1, 1, 3);
      const auto scores = to_doubles(x);
      const auto slopes = to_doubles(grad);
      std::vector<double> loss(5);
      std::vector<double> x_grad(35);
      for (std::size_t row = 0; row < 5; ++row) {
        if (row == 2) continue;
        const std::size_t i = row * 7 + static_cast<std::size_t>(chosen[row]);
        loss[row] = -std::log(scores[i]);
        x_grad[i] = -slopes[row] / scores[i];
      }
      expect_near(run_one({"cross_entropy", {x, label}, {{dtype, {5, 1}}}, hard()}), loss,
                  2 * epsilon(dtype), 1e-16);
      expect_near(run_one({"cross_entropy_grad", {x, label, grad}, {{dtype, {5, 7}}}, hard()}),
                  x_grad, 2 * epsilon(dtype), 1e-16);
    }
  }
}

TEST(CrossEntropy, SoftLabels) {
  for (const loci_dtype dtype : kFloats) {
    const Value x = random_value(dtype, {4, 6}, 0.1, 1);
    const Value label = random_value(dtype, {4, 6}, 0, 1, 2);
    const Value grad = random_value(dtype, {4, 1}, -1, 1, 3);
    const auto scores = to_doubles(x);
    const auto weights = to_doubles(label);
    const auto slopes = to_doubles(grad);
    std::vector<double> loss(4);
    std::vector<double> x_grad(24);
    for (std::size_t i = 0; i < 24; ++i) {
      loss[i / 6] -= weights[i] * std::log(scores[i]);
      x_grad[i] = -slopes[i / 6] * weights[i] / scores[i];
    }
    expect_near(run_one({"cross_entropy", {x, label}, {{dtype, {4, 1}}}, soft()}), loss,
                2 * epsilon(dtype), 1e-15);
    expect_near(run_one({"cross_entropy_grad", {x, label, grad}, {{dtype, {4, 6}}}, soft()}),
                x_grad, 2 * epsilon(dtype), 1e-15);
  }
}

void check_fused(loci_dtype dtype, const Value& label, bool is_soft) {
  const Value logits = random_value(dtype, {6, 9}, -5, 5);
  const Value grad = random_value(dtype, {6, 1}, -1, 1, 3);
  const auto& attributes = is_soft ? soft() : hard();
  const auto x = to_doubles(logits);
  const auto p = softmax_of(x, 6, 9, 1);
  const auto given = to_doubles(label);
  std::vector<double> weights(54);
  for (std::size_t row = 0; row < 6; ++row) {
    if (!is_soft && given[row] >= 0) weights[row * 9 + static_cast<std::size_t>(given[row])] = 1;
  }
  if (is_soft) weights = given;
  std::vector<double> loss(6);
  for (std::size_t i = 0; i < 54; ++i) {
    if (weights[i] != 0) loss[i / 9] -= weights[i] * std::log(p[i]);
  }
  const auto actual = run({"softmax_with_cross_entropy",
                           {logits, label},
                           {{dtype, {6, 9}}, {dtype, {6, 1}}},
                           attributes});
  expect_near(to_doubles(actual[0]), p, 8 * epsilon(dtype), dtype == LOCI_DTYPE_F16 ? 0x1p-25 : 0);
  expect_near(to_doubles(actual[1]), loss, 4 * epsilon(dtype),
              dtype == LOCI_DTYPE_F64 ? 1e-15 : 4 * epsilon(LOCI_DTYPE_F32));

  const auto slopes = to_doubles(grad);
  const auto stored = to_doubles(actual[0]);
  std::vector<double> expected(54);
  for (std::size_t row = 0; row < 6; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 9; ++i) sum += weights[row * 9 + i];
    for (std::size_t i = row * 9; i < row * 9 + 9; ++i) {
      expected[i] = slopes[row] * (stored[i] * sum - weights[i]);
    }
  }
  expect_near(
      run_one({"softmax_with_cross_entropy_grad",
               {actual[0], label, grad},
               {{dtype, {6, 9}}},
               attributes}),
      expected, 4 * epsilon(dtype),
      dtype == LOCI_DTYPE_F16 ? 0x1p-24 : 4 * std::min(epsilon(dtype), epsilon(LOCI_DTYPE_F32)));
}

TEST(SoftmaxWithCrossEntropy, HardAndSoftLabels) {
  for (const loci_dtype dtype : kFloats) {
    SCOPED_TRACE(dtype_text(dtype));
    check_fused(dtype, value_of(LOCI_DTYPE_I64, {6}, {0, 8, -100, 3, 4, 4}), false);
    check_fused(dtype, value_of(LOCI_DTYPE_I32, {6, 1}, {0, 8, -100, 3, 4, 4}), false);
    check_fused(dtype, random_value(dtype, {6, 9}, 0, 1, 4), true);
  }
}

TEST(SoftmaxWithCrossEntropy, StaysExactForConfidentPredictions) {
  const Value logits = value_of(LOCI_DTYPE_F64, {2, 2}, {0, -40, 0, -800});
  const Value label = value_of(LOCI_DTYPE_I64, {2}, {1, 1});
  const auto loss = to_doubles(run({"softmax_with_cross_entropy",
                                    {logits, label},
                                    {{LOCI_DTYPE_F64, {2, 2}}, {LOCI_DTYPE_F64, {2, 1}}},
                                    hard()})[1]);
  expect_near(loss, {40, 800}, 1e-15);
}

TEST(CrossEntropy, NamesALabelOutOfRange) {
  const Value x = random_value(LOCI_DTYPE_F32, {2, 3}, 0.1, 1);
  const Value label = value_of(LOCI_DTYPE_I64, {2}, {1, 3});
  const Value grad = value_of(LOCI_DTYPE_F32, {2, 1}, {1, 1});
  const std::vector<Call> calls = {
      {"cross_entropy", {x, label}, {{LOCI_DTYPE_F32, {2, 1}}}, hard()},
      {"cross_entropy_grad", {x, label, grad}, {{LOCI_DTYPE_F32, {2, 3}}}, hard()},
      {"softmax_with_cross_entropy",
       {x, label},
       {{LOCI_DTYPE_F32, {2, 3}}, {LOCI_DTYPE_F32, {2, 1}}},
       hard()},
      {"softmax_with_cross_entropy_grad", {x, label, grad}, {{LOCI_DTYPE_F32, {2, 3}}}, hard()}};
  for (const Call& call : calls) {
    try {
      run(call);
      FAIL() << call.op << " takes a class that is not there";
    } catch (const PluginError& error) {
      EXPECT_EQ(error.code(), LOCI_CODE_INVALID_ARGUMENT);
      EXPECT_THAT(error.what(), HasSubstr("row 1 is 3; it has to be in [0, 3)"));
    }
  }
  EXPECT_EQ(cpu_plugin().host().live_errors(), 0);
}

TEST(ArgMax, FindsTheFirstLargestAndNan) {
  const auto argmax = [](loci_dtype dtype, const Dims& dims, const std::vector<double>& x,
                         std::int64_t axis, const Dims& out) {
    return run_one({"argmax",
                    {value_of(dtype, dims, x)},
                    {{LOCI_DTYPE_I64, out}},
                    {{"axis", axis}, {"keep_dim", false}}});
  };
  for (const loci_dtype dtype : kNumbers) {
    EXPECT_EQ(argmax(dtype, {2, 3}, {1, 5, 5, 7, 2, 3}, -1, {2}), (std::vector<double>{1, 0}));
    EXPECT_EQ(argmax(dtype, {2, 3}, {1, 5, 5, 7, 2, 5}, 0, {3}), (std::vector<double>{1, 0, 0}));
  }
  EXPECT_EQ(argmax(LOCI_DTYPE_F32, {4}, {1, NAN, 9, NAN}, 0, {}), (std::vector<double>{1}));
}

TEST(Accuracy, CountsLabelsAmongTheLargest) {
  const Value x = value_of(LOCI_DTYPE_F32, {4, 3}, {3, 2, 1, 1, 2, 3, 5, 5, 5, 1, 9, 2});
  const Value label = value_of(LOCI_DTYPE_I64, {4, 1}, {0, 0, 1, 7});
  const auto accuracy = [&](std::int64_t k) {
    const auto out = run({"accuracy",
                          {x, label},
                          {{LOCI_DTYPE_F32, {}}, {LOCI_DTYPE_I32, {}}, {LOCI_DTYPE_I32, {}}},
                          {{"k", k}}});
    EXPECT_EQ(to_doubles(out[2])[0], 4);
    EXPECT_EQ(to_doubles(out[0])[0], to_doubles(out[1])[0] / 4);
    return to_doubles(out[1])[0];
  };
  EXPECT_EQ(accuracy(1), 1);
  EXPECT_EQ(accuracy(2), 2);
  EXPECT_EQ(accuracy(3), 3);
}

// The inverse of such a length is infinite, and the quotient is not.
TEST(L2Normalize, DividesByLengthsThatHaveNoInverse) {
  const Value x = value_of(LOCI_DTYPE_F32, {9, 2}, std::vector<double>(18, 0x1p-130));
  const Call call{"l2_normalize",
                  {x},
                  {{LOCI_DTYPE_F32, {9, 2}}, {LOCI_DTYPE_F32, {9, 1}}},
                  {{"axis", std::int64_t{1}}, {"epsilon", 0.0}}};
  const std::vector<Value> out = run(call);
  expect_near(to_doubles(out[0]), std::vector<double>(18, std::sqrt(0.5)), 0x1p-18);
  const Value zeros = value_of(LOCI_DTYPE_F32, {9, 2}, std::vector<double>(18, 0));
  const std::vector<double> grad = run_one({"l2_normalize_grad",
                                            {zeros, out[1], x},
                                            {{LOCI_DTYPE_F32, {9, 2}}},
                                            {{"axis", std::int64_t{1}}}});
  expect_near(grad, std::vector<double>(18, std::sqrt(0.5)), 0x1p-18);
}

}  // namespace
}  // namespace loci::testing
