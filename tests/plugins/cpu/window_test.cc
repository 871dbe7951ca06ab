// conv2d and pool2d with their gradients, against the definitions.
#include <array>
#include <loci/plugin/window.hpp>

#include "tests/plugins/cpu/cpu_plugin.h"

namespace loci::testing {
namespace {

using Integers = std::vector<std::int64_t>;

struct ConvCase {
  Dims x;
  Dims filter;
  Integers strides{1, 1};
  Integers paddings{0, 0};
  Integers dilations{1, 1};
  std::int64_t groups = 1;
  std::string algorithm = "EXPLICIT";
};

std::map<std::string, AttributeValue> attributes(const ConvCase& test) {
  return {{"strides", test.strides},
          {"paddings", test.paddings},
          {"dilations", test.dilations},
          {"groups", test.groups},
          {"padding_algorithm", test.algorithm}};
}

sdk::Window2d window_of(const ConvCase& test) {
  return sdk::resolve_window({test.strides, test.paddings, test.dilations, test.algorithm},
                             {test.x[2], test.x[3]}, {test.filter[2], test.filter[3]});
}

Dims out_dims(const ConvCase& test) {
  const auto window = window_of(test);
  return {test.x[0], test.filter[0], window.height.output, window.width.output};
}

// Calls visit(x index, filter index, out index) for every product of the convolution.
template <class Visit>
void for_products(const ConvCase& test, const Visit& visit) {
  const auto [height, width] = window_of(test);
  const Dims& f = test.filter;
  const std::int64_t per_group = f[0] / test.groups;
  for (std::int64_t n = 0; n < test.x[0]; ++n) {
    for (std::int64_t o = 0; o < f[0]; ++o) {
      for (std::int64_t i = 0; i < height.output * width.output; ++i) {
        for (std::int64_t k = 0; k < f[1] * f[2] * f[3]; ++k) {
          const std::int64_t row =
              height.begin(i / width.output) + k / f[3] % f[2] * height.dilation;
          const std::int64_t column = width.begin(i % width.output) + k % f[3] * width.dilation;
          if (row < 0 || row >= height.input || column < 0 || column >= width.input) continue;
          const std::int64_t channel = o / per_group * f[1] + k / (f[2] * f[3]);
          const std::int64_t pixel =
              ((n * test.x[1] + channel) * height.input + row) * width.input + column;
          visit(static_cast<std::size_t>(pixel),
                static_cast<std::size_t>(o * f[1] * f[2] * f[3] + k),
                static_cast<std::size_t>((n * f[0] + o) * height.output * width.output + i));
        }
      }
    }
  }
}

// For sums of that many products of numbers in [-1, 1].
double tolerance(loci_dtype dtype, double terms) {
  return 16 * std::min(epsilon(dtype), epsilon(LOCI_DTYPE_F32)) * std::sqrt(terms + 1);
}

void check_conv(const ConvCase& test, loci_dtype dtype, const std::string& implementation) {
  SCOPED_TRACE(implementation + " " + dtype_text(dtype) + " " + ::testing::PrintToString(test.x) +
               ::testing::PrintToString(test.filter) + test.algorithm);
  const Dims out = out_dims(test);
  const Value x = random_value(dtype, test.x, -1, 1, 1);
  const Value filter = random_value(dtype, test.filter, -1, 1, 2);
  const Value bias = random_value(dtype, {test.filter[0]}, -1, 1, 3);
  const Value grad = random_value(dtype, out, -1, 1, 4);
  const auto a = to_doubles(x);
  const auto w = to_doubles(filter);
  const auto g = to_doubles(grad);
  std::vector<double> forward(g.size());
  std::vector<double> x_grad(a.size());
  std::vector<double> filter_grad(w.size());
  for_products(test, [&](std::size_t i, std::size_t k, std::size_t o) {
    forward[o] += a[i] * w[k];
    x_grad[i] += g[o] * w[k];
    filter_grad[k] += g[o] * a[i];
  });
  // The terms of the longest sum, which is that of the filter's gradient.
  const auto terms = static_cast<double>(out[0] * out[2] * out[3] + test.filter[1] * 100);
  const auto check = [&](const char* op, std::vector<Value> inputs, const Dims& dims,
                         const std::vector<double>& expected) {
    SCOPED_TRACE(op);
    expect_near(
        run_one({op, std::move(inputs), {{dtype, dims}}, attributes(test), {}, implementation}),
        expected, 2 * epsilon(dtype), tolerance(dtype, terms));
  };
  check("conv2d", {x, filter, absent()}, out, forward);
  check("conv2d_grad_input", {filter, grad, metadata(dtype, test.x)}, test.x, x_grad);
  check("conv2d_grad_filter", {x, grad, metadata(dtype, test.filter)}, test.filter, filter_grad);
  const auto b = to_doubles(bias);
  const auto plane = static_cast<std::size_t>(out[2] * out[3]);
  for (std::size_t i = 0; i < forward.size(); ++i) forward[i] += b[i / plane % b.size()];
  check("conv2d", {x, filter, bias}, out, forward);
}

const std::vector<ConvCase>& conv_cases() {
  static const std::vector<ConvCase> cases = {
      {{1, 1, 5, 5}, {1, 1, 3, 3}},
      {{2, 3, 8, 7}, {4, 3, 3, 2}, {1, 1}, {1, 1}},
      {{2, 4, 9, 11}, {6, 4, 3, 3}, {2, 3}, {1, 0, 2, 1}},
      {{1, 4, 10, 10}, {6, 2, 3, 3}, {1, 1}, {2, 2}, {2, 2}, 2},
      {{2, 6, 7, 7}, {6, 1, 3, 3}, {2, 2}, {1, 1}, {1, 1}, 6},
      {{1, 2, 8, 5}, {3, 2, 3, 3}, {2, 2}, {0, 0}, {1, 1}, 1, "SAME"},
      {{1, 2, 8, 5}, {3, 2, 3, 3}, {1, 2}, {0, 0}, {1, 1}, 1, "VALID"},
      {{3, 5, 6, 6}, {7, 5, 1, 1}},
      {{1, 3, 6, 6}, {2, 3, 3, 3}, {3, 3}, {0, 0}, {1, 1}},
  };
  return cases;
}

TEST(Conv2d, PortableKernelsMatchTheDefinition) {
  for (const loci_dtype dtype : kFloats) {
    for (const ConvCase& test : conv_cases()) check_conv(test, dtype, "portable");
  }
}

TEST(Conv2d, PortableKernelsSplitLargeOnes) {
  check_conv({{3, 16, 33, 29}, {100, 16, 3, 3}, {1, 1}, {1, 1}}, LOCI_DTYPE_F32, "portable");
}

TEST(Conv2d, OneDnnKernelsMatchTheDefinition) {
  for (const loci_dtype dtype : kOneDnnFloats) {
    for (const ConvCase& test : conv_cases()) check_conv(test, dtype, "onednn");
    check_conv({{2, 16, 20, 20}, {32, 16, 3, 3}, {1, 1}, {1, 1}}, dtype, "onednn");
    // Products of matrices, in parts by images and by filters.
    check_conv({{4, 48, 20, 20}, {64, 48, 1, 1}}, dtype, "onednn");
    check_conv({{1, 48, 30, 30}, {72, 48, 1, 1}}, dtype, "onednn");
  }
}

TEST(Conv2d, OneDnnTakesImagesOfAnyOfItsDtypes) {
  const ConvCase test{{2, 16, 20, 20}, {32, 16, 3, 3}, {1, 1}, {1, 1}};
  for (const loci_dtype dtype : kOneDnnFloats) {
    const Call call{"conv2d",
                    {empty_like(dtype, test.x), empty_like(dtype, test.filter), absent()},
                    {{dtype, out_dims(test)}},
                    attributes(test)};
    EXPECT_EQ(cpu_plugin().implementation_of(call), "onednn") << dtype_text(dtype);
  }
}

TEST(Conv2d, AnEmptyBatchGivesNothing) {
  const ConvCase test{{0, 2, 5, 5}, {3, 2, 3, 3}};
  for (const loci_dtype dtype : kFloats) {
    const Value filter = random_value(dtype, test.filter, -1, 1);
    const Value grad = empty_like(dtype, {0, 3, 3, 3});
    EXPECT_TRUE(run_one({"conv2d",
                         {empty_like(dtype, test.x), filter, absent()},
                         {{dtype, {0, 3, 3, 3}}},
                         attributes(test)})
                    .empty());
    EXPECT_EQ(run_one({"conv2d_grad_filter",
                       {empty_like(dtype, test.x), grad, metadata(dtype, test.filter)},
                       {{dtype, test.filter}},
                       attributes(test)}),
              std::vector<double>(54, 0.0));
  }
}

TEST(Conv2d, OneDnnIsReentrant) {
  const ConvCase test{{2, 16, 20, 20}, {32, 16, 3, 3}, {1, 1}, {1, 1}};
  Call call{"conv2d",
            {random_value(LOCI_DTYPE_F32, test.x, -1, 1),
             random_value(LOCI_DTYPE_F32, test.filter, -1, 1), absent()},
            {{LOCI_DTYPE_F32, out_dims(test)}},
            attributes(test)};
  call.threads = 4;
  call.launches = 10;
  EXPECT_EQ(cpu_plugin().implementation_of(call), "onednn");
  EXPECT_EQ(run(call).size(), 1U);
}

struct PoolCase {
  std::string type;
  Dims x;
  Integers ksize{2, 2};
  Integers strides{2, 2};
  Integers paddings{0, 0};
  std::string algorithm = "EXPLICIT";
  bool ceil_mode = false;
  bool exclusive = true;
  bool global = false;
};

std::map<std::string, AttributeValue> attributes(const PoolCase& test) {
  return {{"pooling_type", test.type},     {"ksize", test.ksize},
          {"strides", test.strides},       {"paddings", test.paddings},
          {"ceil_mode", test.ceil_mode},   {"exclusive", test.exclusive},
          {"global_pooling", test.global}, {"padding_algorithm", test.algorithm}};
}

// Where the padding that was asked for ends, [height, width].
std::array<std::int64_t, 2> padded_ends(const PoolCase& test, const sdk::Window2d& window) {
  const bool is_explicit = test.algorithm == "EXPLICIT" && !test.global;
  const auto end = [&](const sdk::WindowAxis& axis, std::size_t dimension) {
    if (!is_explicit) return test.algorithm == "SAME" ? axis.input + axis.after : axis.input;
    const bool has_pairs = test.paddings.size() == 4;
    return axis.input + test.paddings[has_pairs ? 2 * dimension + 1 : dimension];
  };
  return {end(window.height, 0), end(window.width, 1)};
}

void check_pool(const PoolCase& test, loci_dtype dtype, const std::string& implementation) {
  SCOPED_TRACE(implementation + " " + test.type + " " + dtype_text(dtype) + " " +
               ::testing::PrintToString(test.x) + test.algorithm);
  sdk::WindowOptions options{test.strides,   test.paddings,  {1, 1},
                             test.algorithm, test.ceil_mode, test.global};
  const auto window =
      sdk::resolve_window(options, {test.x[2], test.x[3]}, {test.ksize[0], test.ksize[1]});
  const auto& height = window.height;
  const auto& width = window.width;
  const Dims out{test.x[0], test.x[1], height.output, width.output};
  const auto [rows_end, columns_end] = padded_ends(test, window);
  const Value x = random_value(dtype, test.x, -1, 1, 1);
  const Value grad = random_value(dtype, out, -1, 1, 2);
  const auto a = to_doubles(x);
  const auto g = to_doubles(grad);
  std::vector<double> forward;
  std::vector<double> backward(a.size());
  for (std::int64_t plane = 0; plane < test.x[0] * test.x[1]; ++plane) {
    for (std::int64_t i = 0; i < height.output * width.output; ++i) {
      std::vector<std::size_t> inside;
      double padded = 0;
      for (std::int64_t k = 0; k < height.kernel * width.kernel; ++k) {
        const std::int64_t row = height.begin(i / width.output) + k / width.kernel;
        const std::int64_t column = width.begin(i % width.output) + k % width.kernel;
        if (row < rows_end && column < columns_end) padded += 1;
        if (row < 0 || row >= height.input || column < 0 || column >= width.input) continue;
        inside.push_back(
            static_cast<std::size_t>((plane * height.input + row) * width.input + column));
      }
      const double slope = g[forward.size()];
      if (test.type == "max") {
        std::size_t best = inside.at(0);
        for (const std::size_t j : inside) best = a[j] > a[best] ? j : best;
        forward.push_back(a[best]);
        backward[best] += slope;
      } else {
        const double count = test.exclusive ? static_cast<double>(inside.size()) : padded;
        double sum = 0;
        for (const std::size_t j : inside) {
          sum += a[j];
          backward[j] += slope / count;
        }
        forward.push_back(sum / count);
      }
    }
  }
  const Value result = value_of(dtype, out, forward);
  expect_near(run_one({"pool2d", {x}, {{dtype, out}}, attributes(test), {}, implementation}),
              forward, 2 * epsilon(dtype), tolerance(dtype, 9));
  expect_near(run_one({"pool2d_grad",
                       {x, result, grad},
                       {{dtype, test.x}},
                       attributes(test),
                       {},
                       test.type == "max" ? "portable" : implementation}),
              backward, 2 * epsilon(dtype), tolerance(dtype, 9));
}

// More and fewer than four.
void add_whole_planes(const char* type, bool exclusive, std::vector<PoolCase>* cases) {
  for (const Dims& x : {Dims{3, 3, 7, 7}, Dims{1, 5, 8, 8}, Dims{1, 2, 14, 15}, Dims{2, 2, 1, 3}}) {
    cases->push_back({type, x, {1, 1}, {1, 1}, {0, 0}, "EXPLICIT", false, exclusive, true});
  }
}

std::vector<PoolCase> pool_cases() {
  std::vector<PoolCase> cases;
  for (const char* type : {"max", "avg"}) {
    for (const bool exclusive : {true, false}) {
      cases.push_back({type, {2, 3, 6, 8}, {2, 2}, {2, 2}, {0, 0}, "EXPLICIT", false, exclusive});
      cases.push_back({type, {1, 2, 7, 7}, {3, 2}, {2, 1}, {1, 1}, "EXPLICIT", false, exclusive});
      cases.push_back(
          {type, {1, 2, 7, 9}, {3, 3}, {2, 2}, {1, 0, 1, 1}, "EXPLICIT", true, exclusive});
      cases.push_back({type, {2, 2, 7, 5}, {3, 3}, {2, 2}, {0, 0}, "SAME", false, exclusive});
      cases.push_back({type, {1, 1, 7, 5}, {2, 3}, {2, 2}, {0, 0}, "VALID", false, exclusive});
      cases.push_back(
          {type, {2, 3, 5, 4}, {2, 2}, {2, 2}, {1, 1}, "EXPLICIT", false, exclusive, true});
      cases.push_back(
          {type, {2, 16, 40, 40}, {3, 3}, {2, 2}, {1, 1}, "EXPLICIT", false, exclusive});
      add_whole_planes(type, exclusive, &cases);
      // Windows that reach behind the padding.
      cases.push_back({type, {1, 2, 7, 7}, {2, 2}, {2, 2}, {0, 0}, "EXPLICIT", true, exclusive});
      cases.push_back({type, {1, 2, 8, 7}, {3, 4}, {2, 3}, {0, 0}, "VALID", true, exclusive});
      cases.push_back({type, {2, 3, 9, 32}, {3, 3}, {2, 2}, {0, 0}, "EXPLICIT", true, exclusive});
      cases.push_back({type, {2, 3, 8, 70}, {5, 4}, {3, 3}, {1, 2}, "EXPLICIT", true, exclusive});
      cases.push_back({type, {1, 1, 2, 3}, {2, 2}, {3, 2}, {1, 1}, "EXPLICIT", true, exclusive});
      // Rows of vectors: with a rest, of fewer windows than a vector has, and of one vector.
      for (const std::int64_t width : {16, 17, 31, 70, 113}) {
        const std::int64_t kernel = width % 2 == 0 ? 2 : 3;
        for (const std::int64_t stride : {kernel - 1, std::int64_t{2}}) {
          cases.push_back({type,
                           {2, 3, 9, width},
                           {3, kernel},
                           {stride, stride},
                           {1, 1},
                           "EXPLICIT",
                           false,
                           exclusive});
        }
      }
    }
  }
  return cases;
}

TEST(Pool2d, PortableKernelsMatchTheDefinition) {
  for (const loci_dtype dtype : kFloats) {
    for (const PoolCase& test : pool_cases()) check_pool(test, dtype, "portable");
  }
}

TEST(Pool2d, OneDnnKernelsMatchTheDefinition) {
  for (const loci_dtype dtype : kOneDnnFloats) {
    for (const PoolCase& test : pool_cases()) check_pool(test, dtype, "onednn");
  }
}

TEST(Pool2d, MeansOfPlanesDoNotDependOnOtherPlanes) {
  const Value all = random_value(LOCI_DTYPE_F32, {1, 7, 9, 11}, -1, 1, 1);
  const auto x = to_doubles(all);
  const PoolCase global{"avg", {}, {1, 1}, {1, 1}, {0, 0}, "EXPLICIT", false, true, true};
  const auto mean_of = [&](const Value& images, std::int64_t planes) {
    return run_one({"pool2d", {images}, {{LOCI_DTYPE_F32, {1, planes, 1, 1}}}, attributes(global)});
  };
  const auto means = mean_of(all, 7);
  for (std::size_t plane = 0; plane < 7; ++plane) {
    const auto* first = x.data() + plane * 99;
    const Value one =
        value_of(LOCI_DTYPE_F32, {1, 1, 9, 11}, std::vector<double>(first, first + 99));
    EXPECT_EQ(mean_of(one, 1)[0], means[plane]) << plane;
  }
}

// Each pixel's gradient is a sum of 49 terms.
TEST(Pool2d, GradientsOfHalvesAreRoundedOnce) {
  const PoolCase test{"avg", {1, 16, 40, 40}, {7, 7}, {1, 1}, {3, 3}};
  const auto gradient = [&](loci_dtype dtype, const Value& grad) {
    const Value x = empty_like(dtype, test.x);
    return run_one({"pool2d_grad", {x, x, grad}, {{dtype, test.x}}, attributes(test)});
  };
  for (const loci_dtype dtype : {LOCI_DTYPE_BF16, LOCI_DTYPE_F16}) {
    const Value grad = random_value(dtype, test.x, 0, 1, 2);
    const Value exact = value_of(LOCI_DTYPE_F64, test.x, to_doubles(grad));
    expect_near(gradient(dtype, grad), gradient(LOCI_DTYPE_F64, exact), 1.01 * epsilon(dtype));
  }
}

TEST(Pool2d, GradientGoesToTheFirstOfEqualMaxima) {
  const PoolCase test{"max", {1, 1, 2, 2}};
  const Value x = value_of(LOCI_DTYPE_F32, {1, 1, 2, 2}, {3, 3, 3, 3});
  const Value out = value_of(LOCI_DTYPE_F32, {1, 1, 1, 1}, {3});
  const Value grad = value_of(LOCI_DTYPE_F32, {1, 1, 1, 1}, {5});
  EXPECT_EQ(
      run_one({"pool2d_grad", {x, out, grad}, {{LOCI_DTYPE_F32, {1, 1, 2, 2}}}, attributes(test)}),
      (std::vector<double>{5, 0, 0, 0}));
}

// One NaN among many rows, wherever it lies, shows in its windows and in no others.
TEST(Pool2d, NanIsTheLargestInRowsOfVectors) {
  const PoolCase test{"max", {1, 2, 40, 33}, {3, 3}, {2, 2}, {1, 1}};
  const Dims out{1, 2, 20, 17};
  for (const std::int64_t place : {0, 32, 33, 40 * 33 - 1, 40 * 33, 45 * 33 + 7, 80 * 33 - 1}) {
    std::vector<double> x(2 * 40 * 33, 1.0);
    x[static_cast<std::size_t>(place)] = NAN;
    const auto pooled = run_one({"pool2d",
                                 {value_of(LOCI_DTYPE_F32, test.x, x)},
                                 {{LOCI_DTYPE_F32, out}},
                                 attributes(test)});
    const std::int64_t row = place / 33 % 40;
    for (std::int64_t i = 0; i < 2 * 20 * 17; ++i) {
      const bool is_near = i / 340 == place / (40 * 33) && std::abs(i / 17 % 20 * 2 - row) <= 1 &&
                           std::abs(i % 17 * 2 - place % 33) <= 1;
      ASSERT_EQ(std::isnan(pooled[static_cast<std::size_t>(i)]), is_near) << place << ", " << i;
    }
  }
}

TEST(Pool2d, NanIsTheLargest) {
  const PoolCase test{"max", {1, 1, 2, 2}};
  const Value x = value_of(LOCI_DTYPE_F32, {1, 1, 2, 2}, {3, NAN, 9, 1});
  expect_near(run_one({"pool2d", {x}, {{LOCI_DTYPE_F32, {1, 1, 1, 1}}}, attributes(test)}), {NAN},
              0);
}

}  // namespace
}  // namespace loci::testing
