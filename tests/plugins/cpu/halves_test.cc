// 16-bit elements give what float32 gives for the same numbers, rounded once, however many of them
// are converted at a time.
#include "tests/plugins/cpu/cpu_plugin.h"

namespace loci::testing {
namespace {

using Attributes = std::map<std::string, AttributeValue>;

// An op, and its arguments in float32: what is of another dtype is so for halves, too.
struct HalvesCase {
  std::string op;
  std::vector<Value> inputs;
  std::vector<std::pair<loci_dtype, Dims>> outputs;
  Attributes attributes{};
  std::map<std::uint32_t, std::uint32_t> in_place{};
};

Value converted(const Value& value, loci_dtype dtype) {
  if (value.dtype != LOCI_DTYPE_F32) return value;
  if (value.residence == LOCI_RESIDENCE_METADATA) return metadata(dtype, value.dims);
  return value_of(dtype, value.dims, to_doubles(value));
}

Value random_floats(const Dims& dims, unsigned seed = 1) {
  return random_value(LOCI_DTYPE_F32, dims, -3, 3, seed);
}

std::vector<Value> portable_results(const HalvesCase& test) {
  Call call{test.op, test.inputs, test.outputs, test.attributes, test.in_place};
  call.implementation = "portable";
  return run(call);
}

void check_halves(const HalvesCase& test) {
  for (const loci_dtype dtype : {LOCI_DTYPE_BF16, LOCI_DTYPE_F16}) {
    SCOPED_TRACE(test.op + " " + dtype_text(dtype) + " " +
                 ::testing::PrintToString(test.inputs[0].dims));
    HalvesCase halves = test;
    HalvesCase wide = test;
    wide.in_place.clear();
    for (std::size_t i = 0; i < test.inputs.size(); ++i) {
      halves.inputs[i] = converted(test.inputs[i], dtype);
      if (halves.inputs[i].dtype != dtype) continue;
      wide.inputs[i] = value_of(LOCI_DTYPE_F32, test.inputs[i].dims, to_doubles(halves.inputs[i]));
    }
    for (auto& [output, dims] : halves.outputs) {
      if (output == LOCI_DTYPE_F32) output = dtype;
    }
    const std::vector<Value> got = portable_results(halves);
    const std::vector<Value> expected = portable_results(wide);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      expect_near(to_doubles(got[i]), to_doubles(converted(expected[i], got[i].dtype)), 0);
    }
  }
}

// Fewer than a block, and blocks with and without a rest.
TEST(Halves, FunctionsOfElements) {
  for (const std::int64_t count : {1, 8, 9, 2047, 2048, 2049, 10'000}) {
    const Dims dims{count};
    for (const char* op : {"relu", "exp", "abs", "sigmoid", "floor"}) {
      check_halves({op, {random_floats(dims)}, {{LOCI_DTYPE_F32, dims}}});
      check_halves({op, {random_floats(dims)}, {{LOCI_DTYPE_F32, dims}}, {}, {{0, 0}}});
    }
    check_halves({"scale",
                  {random_floats(dims)},
                  {{LOCI_DTYPE_F32, dims}},
                  {{"scale", 1.25}, {"bias", -0.5}}});
    check_halves({"square_error_cost",
                  {random_floats(dims, 1), random_floats(dims, 2)},
                  {{LOCI_DTYPE_F32, dims}}});
    check_halves(
        {"relu_grad", {random_floats(dims, 1), random_floats(dims, 2)}, {{LOCI_DTYPE_F32, dims}}});
  }
}

TEST(Halves, BroadcastTogether) {
  struct Shapes {
    Dims x;
    Dims y;
    Dims out;
  };
  const Shapes shapes[] = {{{5}, {5}, {5}},
                           {{3000}, {3000}, {3000}},
                           {{7, 2500}, {2500}, {7, 2500}},
                           {{7, 2500}, {7, 1}, {7, 2500}},
                           {{1}, {4100}, {4100}},
                           {{300, 3}, {300, 1}, {300, 3}},
                           {{40, 1, 17}, {9, 1}, {40, 9, 17}}};
  for (const auto& [x, y, out] : shapes) {
    for (const char* op : {"elementwise_add", "elementwise_mul", "elementwise_div",
                           "elementwise_max", "elementwise_mod"}) {
      check_halves({op, {random_floats(x, 1), random_floats(y, 2)}, {{LOCI_DTYPE_F32, out}}});
    }
    check_halves(
        {"less_than", {random_floats(x, 1), random_floats(y, 2)}, {{LOCI_DTYPE_BOOL, out}}});
    check_halves({"equal", {random_floats(x, 1), random_floats(y, 1)}, {{LOCI_DTYPE_BOOL, out}}});
  }
  const Dims dims{5000};
  check_halves({"elementwise_add",
                {random_floats(dims, 1), random_floats(dims, 2)},
                {{LOCI_DTYPE_F32, dims}},
                {},
                {{0, 0}}});
  check_halves({"elementwise_add",
                {random_floats(dims, 1), random_floats(dims, 2)},
                {{LOCI_DTYPE_F32, dims}},
                {},
                {{0, 1}}});
}

// Rows of which several, one and none fit the cache, and vectors that do not lie side by side.
TEST(Halves, NormalisedVectors) {
  struct Vectors {
    Dims dims;
    std::int64_t axis;
  };
  const Vectors all[] = {{{3, 4}, 1},    {{33, 300}, 1},   {{5, 9000}, 1},     {{2, 40'000}, 1},
                         {{300, 33}, 0}, {{4, 50, 70}, 1}, {{3, 400, 100}, 1}, {{0, 5}, 1}};
  for (const auto& [dims, axis] : all) {
    const Attributes along{{"axis", axis}};
    Dims norms = dims;
    norms[static_cast<std::size_t>(axis)] = 1;
    check_halves({"softmax", {random_floats(dims)}, {{LOCI_DTYPE_F32, dims}}, along});
    check_halves({"log_softmax", {random_floats(dims)}, {{LOCI_DTYPE_F32, dims}}, along, {{0, 0}}});
    check_halves({"argmax", {random_floats(dims)}, {{LOCI_DTYPE_I64, norms}}, along});
  }
}

TEST(Halves, PooledPlanes) {
  for (const Dims& x : {Dims{2, 3, 9, 9}, Dims{1, 2, 90, 90}, Dims{1, 1, 200, 100}}) {
    const Dims out{x[0], x[1], x[2] / 2, x[3] / 2};
    for (const char* type : {"max", "avg"}) {
      check_halves({"pool2d",
                    {random_floats(x)},
                    {{LOCI_DTYPE_F32, out}},
                    {{"pooling_type", std::string(type)},
                     {"ksize", std::vector<std::int64_t>{2, 2}},
                     {"strides", std::vector<std::int64_t>{2, 2}},
                     {"paddings", std::vector<std::int64_t>{0, 0}},
                     {"ceil_mode", false},
                     {"exclusive", true},
                     {"global_pooling", false},
                     {"padding_algorithm", std::string("EXPLICIT")}}});
    }
  }
}

TEST(Halves, Products) {
  const Attributes plain{{"transpose_x", false}, {"transpose_y", false}};
  const Attributes turned{{"transpose_x", false}, {"transpose_y", true}};
  check_halves({"matmul",
                {random_floats({40, 70}, 1), random_floats({70, 50}, 2)},
                {{LOCI_DTYPE_F32, {40, 50}}},
                plain});
  check_halves({"matmul",
                {random_floats({5, 70}, 1), random_floats({70, 3}, 2)},
                {{LOCI_DTYPE_F32, {5, 3}}},
                plain});
  // Columns and rows are long, so that they are converted block by block.
  check_halves({"matmul",
                {random_floats({3, 5000}, 1), random_floats({2, 5000}, 2)},
                {{LOCI_DTYPE_F32, {3, 2}}},
                turned});
}

}  // namespace
}  // namespace loci::testing
