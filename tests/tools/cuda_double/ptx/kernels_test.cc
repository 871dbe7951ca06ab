// Kernels as nvcc compiles them, with all checks on, against double precision on the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <set>

#include "tests/tools/cuda_double/ptx/rig.h"
#include "tools/cuda_double/ptx/run/half.h"

namespace loci::cuda_double {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

struct Kernels : ::testing::Test {
  void SetUp() override {
    if (!missing_kernels().empty()) GTEST_SKIP() << missing_kernels();
  }

  void expect_near(const std::vector<float>& actual, const std::vector<double>& expected,
                   double relative) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      ASSERT_NEAR(actual[i], expected[i], relative * std::max(1e-3, std::abs(expected[i])))
          << "element " << i;
    }
  }

  Rig rig;
};

using ModelKernels = Kernels;
using BlockPrimitives = Kernels;

std::vector<float> sums(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), std::plus<>());
  return result;
}

TEST_F(ModelKernels, add) {
  rig.load_kernels("model");
  const std::vector<float> a = noise(1000, 1);
  const std::vector<float> b = noise(1000, 2);
  const auto x = rig.array(a);
  const auto y = rig.array(b);
  const auto z = rig.array<float>(1000);
  rig.launch("add", {4}, {256}, x, y, z, 1000);
  EXPECT_EQ(z.get(), sums(a, b));
  EXPECT_TRUE(z.is_written());
}

TEST_F(ModelKernels, add_of_vectors_and_a_rest) {
  rig.load_kernels("model");
  const std::vector<float> a = noise(1003, 1);
  const std::vector<float> b = noise(1003, 2);
  const auto x = rig.array(a);
  const auto y = rig.array(b);
  const auto z = rig.array<float>(1003);
  const Counters counters = rig.launch("add_vectors", {4}, {64}, x, y, z, 1003);
  EXPECT_EQ(z.get(), sums(a, b));
  EXPECT_GT(counters.lanes_by_opcode.at("ld.global.v4.f32"), 0U);
}

TEST_F(ModelKernels, layer_norm) {
  rig.load_kernels("model");
  constexpr int kRows = 5;
  constexpr int kWidth = 201;
  const std::vector<float> x = noise(kRows * kWidth, 3);
  const std::vector<float> gain = noise(kWidth, 4);
  const auto in = rig.array(x);
  const auto scale = rig.array(gain);
  const auto out = rig.array<float>(x.size());
  rig.launch("layer_norm", {kRows}, {64}, in, scale, out, kWidth);
  std::vector<double> expected(x.size());
  for (int row = 0; row < kRows; ++row) {
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < kWidth; ++i) {
      const double value = x[row * kWidth + i];
      sum += value;
      squares += value * value;
    }
    const double mean = sum / kWidth;
    const double deviation = std::sqrt(squares / kWidth - mean * mean + 1e-5);
    for (int i = 0; i < kWidth; ++i) {
      expected[row * kWidth + i] = (x[row * kWidth + i] - mean) / deviation * gain[i];
    }
  }
  expect_near(out.get(), expected, 1e-4);
}

TEST_F(ModelKernels, transpose) {
  rig.load_kernels("model");
  constexpr int kRows = 45;
  constexpr int kColumns = 70;
  const std::vector<float> x = noise(kRows * kColumns, 5);
  const auto in = rig.array(x);
  const auto out = rig.array<float>(x.size());
  const Counters counters = rig.launch("transpose", {3, 2}, {32, 8}, in, out, kRows, kColumns);
  const std::vector<float> y = out.get();
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      ASSERT_EQ(y[column * kRows + row], x[row * kColumns + column]);
    }
  }
  EXPECT_EQ(counters.shared_conflicts, 0U);
}

std::array<std::uint32_t, 4> philox_on_host(std::uint32_t counter, std::uint64_t key) {
  std::array<std::uint32_t, 4> c{counter, 0, 0, 0};
  auto k0 = static_cast<std::uint32_t>(key);
  auto k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53U} * c[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(a)};
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return c;
}

TEST_F(ModelKernels, philox) {
  rig.load_kernels("model");
  constexpr int kCount = 100;
  constexpr std::uint64_t kKey = 0x123456789abcdef0U;
  const auto out = rig.array<std::uint32_t>(kCount * 4);
  rig.launch("philox", {2}, {64}, kKey, out, kCount);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    for (const std::uint32_t word : philox_on_host(i, kKey)) expected.push_back(word);
  }
  EXPECT_EQ(out.get(), expected);
}

template <class T>
std::vector<T> all_halves_shuffled(std::uint64_t seed) {
  std::vector<T> values(65536);
  for (std::size_t i = 0; i < values.size(); ++i) values[i].bits = static_cast<std::uint16_t>(i);
  std::shuffle(values.begin(), values.end(), std::mt19937_64(seed));
  return values;
}

template <class T>
void expect_same_bits(const std::vector<T>& actual, const std::vector<T>& expected) {
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (is_nan(actual[i]) && is_nan(expected[i])) continue;
    ASSERT_EQ(actual[i].bits, expected[i].bits) << "element " << i;
  }
}

// A product of halves has at most 22 bits; with long double the sum is exact or rounds once.
TEST_F(ModelKernels, fused_halves_round_once) {
  rig.load_kernels("model");
  const auto a = all_halves_shuffled<Half>(6);
  const auto b = all_halves_shuffled<Half>(7);
  const auto x = rig.array(a);
  const auto bias = rig.array(b);
  const auto out = rig.array<Half>(a.size());
  rig.launch("scale_halves", {256}, {256}, x, bias, out, 65536);
  std::vector<Half> expected(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double product = static_cast<double>(to_float(a[i])) * to_float(a[i]);
    expected[i] = round_to<Half>(round_to_odd(product, to_float(b[i])));
  }
  expect_same_bits(out.get(), expected);
}

TEST_F(ModelKernels, bfloats_round_after_each_operation) {
  rig.load_kernels("model");
  const auto a = all_halves_shuffled<Bf16>(8);
  const auto b = all_halves_shuffled<Bf16>(9);
  const auto x = rig.array(a);
  const auto bias = rig.array(b);
  const auto out = rig.array<Bf16>(a.size());
  rig.launch("scale_bfloats", {256}, {256}, x, bias, out, 65536);
  std::vector<Bf16> expected(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Bf16 square =
        round_to<Bf16>(static_cast<double>(to_float(a[i])) * static_cast<double>(to_float(a[i])));
    expected[i] = round_to<Bf16>(round_to_odd(to_float(square), to_float(b[i])));
  }
  expect_same_bits(out.get(), expected);
}

TEST_F(ModelKernels, gelu_of_pairs_of_halves) {
  rig.load_kernels("model");
  std::vector<Half> x;
  for (const float value : noise(512, 10)) x.push_back(round_to<Half>(4.0 * value));
  const auto in = rig.array(x);
  const auto out = rig.array<Half>(x.size());
  rig.launch("gelu_halves", {2}, {128}, in, out, 256);
  const std::vector<Half> y = out.get();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = to_float(x[i]);
    const double expected = 0.5 * v * (1 + std::erf(v / std::sqrt(2.0)));
    ASSERT_NEAR(to_float(y[i]), expected, 1e-3 * std::max(1e-2, std::abs(expected)));
  }
}

TEST_F(ModelKernels, histogram) {
  rig.load_kernels("model");
  std::vector<std::uint8_t> values(5000);
  std::mt19937 engine(11);
  for (std::uint8_t& value : values) value = static_cast<std::uint8_t>(engine() % 256);
  const auto in = rig.array(values);
  const auto bins = rig.zeros<std::uint32_t>(256);
  rig.config.workers = 2;
  rig.launch("histogram", {6}, {128}, in, bins, 5000);
  std::vector<std::uint32_t> expected(256);
  for (const std::uint8_t value : values) ++expected[value];
  EXPECT_EQ(bins.get(), expected);
}

TEST_F(ModelKernels, last_block_sums_what_others_released) {
  rig.load_kernels("model");
  const std::vector<float> x(5000, 0.5F);
  const auto in = rig.array(x);
  const auto partial = rig.array<float>(8);
  const auto arrived = rig.zeros<std::uint32_t>(1);
  const auto sum = rig.array<float>(1);
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    rig.config.seed = seed;
    rig.config.workers = seed % 2 + 1;
    rig.launch("sum_of_all", {8}, {128}, in, partial, arrived, sum, 5000);
    EXPECT_EQ(sum.get().front(), 2500.0F) << "seed " << seed;
  }
}

TEST_F(ModelKernels, asynchronous_copies_of_tiles) {
  rig.load_kernels("model");
  const std::vector<float> x = noise(3 * 5 * 512, 12);
  const auto in = rig.array(x);
  const auto out = rig.array<float>(x.size());
  rig.launch("scale_tiles", {3}, {128}, in, out, 5);
  std::vector<float> expected = x;
  for (float& value : expected) value *= 2;
  EXPECT_EQ(out.get(), expected);
}

TEST_F(ModelKernels, printf_goes_to_the_launcher) {
  rig.load_kernels("model");
  const auto value = rig.array<double>(std::vector<double>{2.5});
  std::string printed;
  rig.config.print = [&](std::string_view text) { printed += text; };
  rig.launch("prints", {1}, {32}, 7, value);
  EXPECT_EQ(printed, "thread 0: 7,  2.50, text%\nthread 1: 7,  2.50, text%\n");
}

TEST_F(ModelKernels, recursion_of_lanes_that_part) {
  rig.load_kernels("model");
  const auto steps = rig.array<int>(32);
  rig.launch("recursion", {1}, {32}, steps);
  std::vector<int> expected;
  for (int start = 1; start <= 32; ++start) {
    int count = 0;
    for (int n = start; n != 1; ++count) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    expected.push_back(count);
  }
  EXPECT_EQ(steps.get(), expected);
}

TEST_F(ModelKernels, lanes_of_a_warp_take_a_lock_in_turn) {
  rig.load_kernels("model");
  const auto lock = rig.zeros<int>(1);
  const auto value = rig.zeros<int>(1);
  rig.config.workers = 2;
  rig.launch("locked", {3}, {64}, lock, value);
  EXPECT_EQ(value.get().front(), 192);
}

TEST_F(ModelKernels, blocks_of_a_cooperative_launch_meet) {
  rig.load_kernels("model");
  rig.config.cooperative = true;
  for (const unsigned workers : {1U, 2U}) {
    for (const std::uint64_t seed : {0, 1, 2}) {
      rig.config.workers = workers;
      rig.config.seed = seed;
      const auto cells = rig.array<int>(4);
      rig.launch("rounds", {4}, {64}, cells, 3);
      EXPECT_THAT(cells.get(), ElementsAreArray({303, 306, 309, 300}));
    }
  }
}

TEST_F(BlockPrimitives, softmax) {
  rig.load_kernels("block_primitives");
  constexpr int kRows = 4;
  constexpr int kWidth = 333;
  const std::vector<float> x = noise(kRows * kWidth, 13);
  const auto in = rig.array(x);
  const auto out = rig.array<float>(x.size());
  rig.launch("softmax", {kRows}, {128}, in, out, kWidth);
  std::vector<double> expected(x.size());
  for (int row = 0; row < kRows; ++row) {
    double sum = 0;
    for (int i = 0; i < kWidth; ++i) sum += std::exp(static_cast<double>(x[row * kWidth + i]));
    for (int i = 0; i < kWidth; ++i) {
      expected[row * kWidth + i] = std::exp(static_cast<double>(x[row * kWidth + i])) / sum;
    }
  }
  expect_near(out.get(), expected, 1e-5);
}

template <class T>
std::vector<T> sorted_tiles(std::vector<T> values, std::size_t tile) {
  for (auto first = values.begin(); first != values.end();
       first += static_cast<std::ptrdiff_t>(tile)) {
    std::sort(first, first + static_cast<std::ptrdiff_t>(tile));
  }
  return values;
}

TEST_F(BlockPrimitives, radix_sort) {
  rig.load_kernels("block_primitives");
  std::mt19937 engine(14);
  std::vector<std::uint32_t> keys(1024);
  for (std::uint32_t& key : keys) key = engine();
  const auto in = rig.array(keys);
  const auto out = rig.array<std::uint32_t>(keys.size());
  rig.launch("radix_sort", {2}, {128}, in, out);
  EXPECT_EQ(out.get(), sorted_tiles(keys, 512));
}

TEST_F(BlockPrimitives, merge_sort) {
  rig.load_kernels("block_primitives");
  const std::vector<float> keys = noise(1024, 15);
  const auto in = rig.array(keys);
  const auto out = rig.array<float>(keys.size());
  rig.config.seed = 5;
  rig.launch("merge_sort", {2}, {128}, in, out);
  EXPECT_EQ(out.get(), sorted_tiles(keys, 512));
}

TEST_F(BlockPrimitives, scan) {
  rig.load_kernels("block_primitives");
  std::vector<int> x(512);
  std::iota(x.begin(), x.end(), -100);
  const auto in = rig.array(x);
  const auto out = rig.array<int>(x.size());
  rig.launch("scan", {1}, {128}, in, out);
  std::vector<int> expected(x.size());
  std::exclusive_scan(x.begin(), x.end(), expected.begin(), 0);
  EXPECT_EQ(out.get(), expected);
}

TEST_F(BlockPrimitives, unique) {
  rig.load_kernels("block_primitives");
  constexpr int kValid = 450;
  std::mt19937 engine(16);
  std::vector<std::uint32_t> keys(kValid);
  for (std::uint32_t& key : keys) key = engine() % 97;
  const auto in = rig.array(keys);
  const auto out = rig.array<std::uint32_t>(512);
  const auto count = rig.array<int>(1);
  rig.launch("unique", {1}, {128}, in, kValid, out, count);
  const std::set<std::uint32_t> distinct(keys.begin(), keys.end());
  ASSERT_EQ(count.get().front(), static_cast<int>(distinct.size()));
  std::vector<std::uint32_t> found = out.get();
  found.resize(distinct.size());
  EXPECT_THAT(found, ElementsAreArray(distinct));
}

// A seed changes the order, never a result.
TEST_F(BlockPrimitives, results_do_not_hang_on_seeds_and_workers) {
  rig.load_kernels("block_primitives");
  const std::vector<float> x = noise(8 * 100, 17);
  const auto in = rig.array(x);
  const auto out = rig.array<float>(x.size());
  std::vector<float> first;
  for (const std::uint64_t seed : {0, 1, 99}) {
    rig.config.seed = seed;
    rig.config.workers = seed == 0 ? 1 : 2;
    rig.launch("softmax", {8}, {128}, in, out, 100);
    if (first.empty()) first = out.get();
    EXPECT_EQ(out.get(), first) << "seed " << seed;
  }
}

}  // namespace
}  // namespace loci::cuda_double
