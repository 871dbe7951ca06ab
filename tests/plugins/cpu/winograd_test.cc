// conv2d and its image's gradient: which kernel takes them, and whether it computes the definition.
#include "tests/plugins/cpu/cpu_plugin.h"

namespace loci::testing {
namespace {

using ::testing::HasSubstr;
using Integers = std::vector<std::int64_t>;

// 3 x 3, padded by 1, unless a test says otherwise; the filter is constant.
Call convolution(const Dims& x, std::int64_t filters, bool bias = false) {
  const Value image = random_value(LOCI_DTYPE_F32, x, -1, 1, 1);
  const Value filter = random_value(LOCI_DTYPE_F32, {filters, x[1], 3, 3}, -1, 1, 2);
  Call call{"conv2d",
            {image, filter, bias ? random_value(LOCI_DTYPE_F32, {filters}, -1, 1, 3) : absent()},
            {{LOCI_DTYPE_F32, {x[0], filters, x[2], x[3]}}},
            {{"strides", Integers{1, 1}},
             {"paddings", Integers{1, 1}},
             {"dilations", Integers{1, 1}},
             {"groups", std::int64_t{1}},
             {"padding_algorithm", std::string("EXPLICIT")}}};
  call.constants = {1};
  return call;
}

// Returns the result of the portable kernel, which takes constants as they are.
std::vector<double> by_definition(Call call) {
  call.implementation = "portable";
  call.constants.clear();
  return run_one(call);
}

void check(const Call& call) {
  SCOPED_TRACE(::testing::PrintToString(call.inputs[0].dims) +
               ::testing::PrintToString(call.inputs[1].dims));
  ASSERT_EQ(cpu_plugin().implementation_of(call), "winograd");
  const auto terms = static_cast<double>(9 * call.inputs[0].dims[1]);
  expect_near(run_one(call), by_definition(call), 0,
              128 * epsilon(LOCI_DTYPE_F32) * std::sqrt(terms));
}

TEST(Winograd, ConvolvesByConstantFilters) {
  check(convolution({1, 64, 56, 56}, 64));
  check(convolution({2, 33, 17, 23}, 70, true));
  check(convolution({3, 64, 7, 7}, 65, true));
  check(convolution({1, 512, 7, 7}, 512));
}

TEST(Winograd, ConvolvesByFiltersThatChange) {
  for (Call call : {convolution({1, 64, 56, 56}, 64), convolution({2, 33, 37, 43}, 70, true)}) {
    call.constants.clear();
    check(call);
  }
}

// Makes the gradient of the image, whose extents are x.
Call input_grad(const Dims& x, std::int64_t filters, const Integers& paddings) {
  const Dims result{x[0], filters, x[2] + paddings[0] + paddings[1] - 2,
                    x[3] + paddings[2] + paddings[3] - 2};
  Call call{
      "conv2d_grad_input",
      {random_value(LOCI_DTYPE_F32, {filters, x[1], 3, 3}, -1, 1, 1),
       random_value(LOCI_DTYPE_F32, result, -1, 1, 2), random_value(LOCI_DTYPE_F32, x, -1, 1)},
      {{LOCI_DTYPE_F32, x}},
      {{"strides", Integers{1, 1}},
       {"paddings", paddings},
       {"dilations", Integers{1, 1}},
       {"groups", std::int64_t{1}},
       {"padding_algorithm", std::string("EXPLICIT")}}};
  return call;
}

TEST(Winograd, MakesTheGradientOfTheImage) {
  for (const Call& call : {input_grad({1, 64, 56, 56}, 64, {1, 1, 1, 1}),
                           input_grad({2, 70, 37, 43}, 33, {0, 0, 0, 0}),
                           input_grad({2, 33, 37, 43}, 70, {2, 0, 1, 2})}) {
    ASSERT_EQ(cpu_plugin().implementation_of(call), "winograd");
    const auto terms = static_cast<double>(9 * call.inputs[0].dims[0]);
    expect_near(run_one(call), by_definition(call), 0,
                128 * epsilon(LOCI_DTYPE_F32) * std::sqrt(terms));
  }
  EXPECT_THAT(cpu_plugin().refusal(input_grad({1, 64, 56, 56}, 64, {3, 1, 1, 1}), "winograd"),
              HasSubstr("windows lie in the padding alone"));
}

TEST(Winograd, IsReentrant) {
  Call call = convolution({2, 48, 20, 20}, 40, true);
  call.threads = 4;
  call.launches = 5;
  check(call);
}

TEST(Winograd, SaysWhyItDoesNotTakeOthers) {
  const Call good = convolution({1, 64, 28, 28}, 64);
  EXPECT_EQ(cpu_plugin().refusal(good, "winograd"), "");
  Call fed = convolution({1, 512, 7, 7}, 512);
  fed.constants.clear();
  EXPECT_THAT(cpu_plugin().refusal(fed, "winograd"),
              HasSubstr("summing products is estimated to be faster"))
      << "with packing the filter";

  Call strided = good;
  strided.attributes["strides"] = Integers{2, 1};
  strided.outputs[0].second = {1, 64, 14, 28};
  EXPECT_THAT(cpu_plugin().refusal(strided, "winograd"), HasSubstr("3 x 3 with strides"));
  Call dilated = good;
  dilated.attributes["dilations"] = Integers{1, 2};
  dilated.outputs[0].second = {1, 64, 28, 26};
  EXPECT_THAT(cpu_plugin().refusal(dilated, "winograd"), HasSubstr("3 x 3 with strides"));
  Call grouped = good;
  grouped.attributes["groups"] = std::int64_t{2};
  grouped.inputs[1] = random_value(LOCI_DTYPE_F32, {64, 32, 3, 3}, -1, 1);
  EXPECT_THAT(cpu_plugin().refusal(grouped, "winograd"), HasSubstr("3 x 3 with strides"));
  Call pointwise = good;
  pointwise.inputs[1] = random_value(LOCI_DTYPE_F32, {64, 64, 1, 1}, -1, 1);
  pointwise.outputs[0].second = {1, 64, 30, 30};
  EXPECT_THAT(cpu_plugin().refusal(pointwise, "winograd"), HasSubstr("3 x 3 with strides"));

  EXPECT_THAT(cpu_plugin().refusal(convolution({1, 16, 56, 56}, 64), "winograd"),
              HasSubstr("fewer than 24 channels"));
  EXPECT_THAT(cpu_plugin().refusal(convolution({1, 64, 1, 1}, 64), "winograd"),
              HasSubstr("summing products is estimated to be faster"));
  EXPECT_THAT(cpu_plugin().refusal(convolution({0, 64, 28, 28}, 64), "winograd"),
              HasSubstr("nothing to convolve"));
}

TEST(Winograd, IsLeftOutWhenToldSo) {
  const Call call = convolution({1, 64, 28, 28}, 64);
  DrivenPlugin without = make_cpu_plugin({{"winograd", "0"}});
  EXPECT_EQ(without.implementation_of(call), "onednn");
  expect_near(to_doubles(without.run(call).at(0)), by_definition(call), 0, 1e-4);
  DrivenPlugin with = make_cpu_plugin({{"winograd", "1"}, {"onednn", "0"}});
  EXPECT_EQ(with.implementation_of(call), "winograd");
}

TEST(Winograd, RefusesASwitchThatIsNeitherOnNorOff) {
  try {
    const DrivenPlugin plugin = make_cpu_plugin({{"winograd", "auto"}});
    FAIL() << "the option is wrong";
  } catch (const PluginError& error) {
    EXPECT_EQ(error.code(), LOCI_CODE_INVALID_ARGUMENT);
    EXPECT_THAT(error.what(), HasSubstr("option winograd is 'auto'; give 0 or 1"));
  }
}

}  // namespace
}  // namespace loci::testing
