// The kernels of attention in the interpreter itself: each instance of them, at the edges of its
// tiles, and what it moves. The images are those that the plugin carries.
#include "plugins/cuda/kernels/attention/attention_arguments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <loci/plugin/dtype_visit.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "plugins/cuda/kernels/attention/attention_op.h"
#include "tests/plugins/cuda/image_rig.h"

namespace loci::cuda {
namespace {

using cuda_double::Counters;
using cuda_double::DeviceArray;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Sizes {
  std::int64_t batch;
  std::int64_t heads;
  std::int64_t queries;
  std::int64_t keys;
  std::int32_t width;
  std::int32_t value_width;
  std::size_t begin = 0;  // elements before the first of each operand
  // The number in the device, which divides keys into spans if it is larger than its tiles.
  std::int64_t multiprocessors = 1;
};

// The sizes that there are kernels of.
struct Instance {
  int queries;
  int width;
};

template <class T>
std::vector<Instance> instances() {
  std::vector<Instance> all;
  for (const int width : {64, 128}) {
    for (const int queries : {16, 32, 64, 128}) {
      const bool has_room = attention_shared_bytes(sizeof(T), width, queries) <= 99 * 1024;
      if (has_room && (sizeof(T) < 4 || width < 128 || queries < 128)) {
        all.push_back({queries, width});
      }
    }
  }
  return all;
}

template <class T>
std::string dtype_of() {
  if (std::is_same_v<T, float>) return "_f32";
  return std::is_same_v<T, sdk::f16> ? "_f16" : "_bf16";
}

template <class T>
std::string name_of(const Instance& instance) {
  return "attention_" + std::to_string(instance.queries) + "_" + std::to_string(instance.width) +
         dtype_of<T>();
}

template <class T>
std::vector<T> noise_of(std::int64_t count, std::uint64_t seed) {
  std::vector<T> values;
  for (const float value : cuda_double::noise(static_cast<std::size_t>(count), seed)) {
    values.push_back(T(2 * value));
  }
  return values;
}

template <class T>
struct Operands {
  explicit Operands(const Sizes& sizes)
      : query(noise_of<T>(sizes.batch * sizes.queries * sizes.heads * sizes.width, 1)),
        key(noise_of<T>(sizes.batch * sizes.keys * sizes.heads * sizes.width, 2)),
        value(noise_of<T>(sizes.batch * sizes.keys * sizes.heads * sizes.value_width, 3)) {}
  std::vector<T> query;
  std::vector<T> key;
  std::vector<T> value;
  std::vector<T> mask{};  // [queries, keys], if there is one
};

// Returns the result of one query of one head. A row whose scores are all -infinity is NaN.
template <class T>
std::vector<double> attended(const Sizes& sizes, const Operands<T>& in, std::int64_t batch,
                             std::int64_t head, std::int64_t query) {
  const std::int64_t width = sizes.width;
  const T* q = in.query.data() + ((batch * sizes.queries + query) * sizes.heads + head) * width;
  std::vector<double> scores;
  double largest = -kInfinity;
  for (std::int64_t j = 0; j < sizes.keys; ++j) {
    const T* k = in.key.data() + ((batch * sizes.keys + j) * sizes.heads + head) * width;
    double score = 0;
    for (std::int64_t i = 0; i < width; ++i) score += static_cast<double>(q[i]) * k[i];
    score /= std::sqrt(static_cast<double>(width));
    if (!in.mask.empty()) score += in.mask[static_cast<std::size_t>(query * sizes.keys + j)];
    scores.push_back(score);
    largest = std::max(largest, score);
  }
  double sum = 0;
  for (double& score : scores) {
    score = std::exp(score - largest);
    sum += score;
  }
  std::vector<double> out(static_cast<std::size_t>(sizes.value_width));
  for (std::int64_t j = 0; j < sizes.keys; ++j) {
    const T* v =
        in.value.data() + ((batch * sizes.keys + j) * sizes.heads + head) * sizes.value_width;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] += scores[static_cast<std::size_t>(j)] / sum * v[i];
    }
  }
  return out;
}

template <class T>
constexpr double kRoundoff = std::is_same_v<T, float>      ? 0
                             : std::is_same_v<T, sdk::f16> ? 1.0 / (1 << 11)
                                                           : 1.0 / (1 << 8);

class AttentionKernelsTest : public ImageTest {
 protected:
  void SetUp() override { load("attention"); }

  template <class T>
  Counters run(const Instance& instance, const Sizes& sizes, const Operands<T>& in,
               const DeviceArray<T>& out) {
    const auto query = behind(sizes.begin, in.query);
    const auto key = behind(sizes.begin, in.key);
    const auto value = behind(sizes.begin, in.value);
    const auto mask = behind(sizes.begin, in.mask);
    const std::size_t skipped = sizes.begin * sizeof(T);
    AttentionArguments op{};
    op.query = at(query.address() + skipped);
    op.key = at(key.address() + skipped);
    op.value = at(value.address() + skipped);
    op.mask = in.mask.empty() ? nullptr : at(mask.address() + skipped);
    op.out = at(out.address() + skipped);
    op.heads = fast_divmod_of(sizes.heads);
    op.queries = sizes.queries;
    op.keys = sizes.keys;
    op.width = sizes.width;
    op.value_width = sizes.value_width;
    op.mask_query = sizes.keys;
    op.mask_key = 1;
    op.zeroes_hidden = sizes.keys == 0;
    op.factor = static_cast<float>(1 / std::sqrt(static_cast<double>(sizes.width)));
    op.rows = sizes.batch * sizes.queries * sizes.heads;
    op.columns = fast_divmod_of(sizes.value_width);
    take_attention_tiles(op, sizes.batch, instance.queries);
    take_attention_spans(op, instance.queries, sizes.multiprocessors);
    const auto spans = rig.array<float>(attention_span_bytes(op) / sizeof(float) + 1);
    place_attention_spans(op, at(spans.address()));
    rig.config.dynamic_shared_bytes = static_cast<std::uint32_t>(
        attention_shared_bytes(sizeof(T), instance.width, instance.queries));
    const Counters counters =
        launch(name_of<T>(instance), op.tiles * op.spans.value * kBlockThreads, op);
    if (op.spans.value > 1) {
      launch("attention_spans" + dtype_of<T>(), op.rows * sizes.value_width, op);
    }
    return counters;
  }

  template <class T>
  DeviceArray<T> behind(std::size_t begin, const std::vector<T>& elements) {
    std::vector<T> all(begin + std::max<std::size_t>(elements.size(), 1));
    std::copy(elements.begin(), elements.end(), all.begin() + static_cast<std::ptrdiff_t>(begin));
    return rig.array<T>(all);
  }

  // The bound is that of a sum of weights that is 1: values are below 2.
  template <class T>
  static void expect_near(const std::vector<T>& out, const Sizes& sizes, const Operands<T>& in) {
    std::size_t at = 0;
    for (std::int64_t line = 0; line < sizes.batch * sizes.queries; ++line) {
      for (std::int64_t head = 0; head < sizes.heads; ++head) {
        for (const double expected :
             attended(sizes, in, line / sizes.queries, head, line % sizes.queries)) {
          const double given = out[at++];
          ASSERT_EQ(std::isnan(given), std::isnan(expected)) << at;
          if (std::isnan(given)) continue;
          ASSERT_NEAR(given, expected, 4e-6 + kRoundoff<T> * std::abs(expected)) << at;
        }
      }
    }
  }

  template <class T>
  void check(const Instance& instance, const Sizes& sizes, const Operands<T>& in) {
    SCOPED_TRACE(name_of<T>(instance) + " of " + std::to_string(sizes.queries) + " queries and " +
                 std::to_string(sizes.keys) + " keys");
    const std::int64_t count = sizes.batch * sizes.queries * sizes.heads * sizes.value_width;
    const auto out = rig.array<T>(static_cast<std::size_t>(count) + sizes.begin);
    run(instance, sizes, in, out);
    std::vector<T> results = out.get();
    results.erase(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(sizes.begin));
    expect_near(results, sizes, in);
  }

  // On and off the edges of tiles, with rows that begin at multiples of 16 bytes and that do not.
  template <class T>
  void check_all() {
    for (const Instance& instance : instances<T>()) {
      const std::int32_t width = instance.width;
      const Sizes cases[] = {{1, 1, instance.queries + 1, 1, 8, 16},
                             {2, 3, 17, 67, width, width - 8},
                             {1, 2, 5, 129, width - 3, 7},
                             {1, 2, 18, 40, width, width, 1},
                             {1, 1, 2, 0, width, 24},
                             {1, 1, 3, 300, width, width}};
      for (const Sizes& sizes : cases) check<T>(instance, sizes, Operands<T>(sizes));
    }
  }

  // Whole tiles hidden, the first and others; rows with one key left; and rows with none.
  template <class T>
  void check_masked() {
    for (const Instance& instance : instances<T>()) {
      const Sizes sizes{1, 2, 20, 270, instance.width, instance.width};
      Operands<T> in(sizes);
      in.mask = noise_of<T>(sizes.queries * sizes.keys, 4);
      for (std::int64_t i = 0; i < sizes.queries; ++i) {
        for (std::int64_t j = 0; j < sizes.keys; ++j) {
          const bool hides = (i % 4 == 0 && j < 200) || (i % 4 == 1 && j != 150) ||
                             (i % 4 == 2 && j > 100) || i == 7;
          if (hides) in.mask[static_cast<std::size_t>(i * sizes.keys + j)] = T(-kInfinity);
        }
      }
      check<T>(instance, sizes, in);
    }
  }

  static void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }
};

TEST_F(AttentionKernelsTest, FloatsAttend) { check_all<float>(); }
TEST_F(AttentionKernelsTest, HalvesAttend) { check_all<sdk::f16>(); }
TEST_F(AttentionKernelsTest, ShortFloatsAttend) { check_all<sdk::bf16>(); }

TEST_F(AttentionKernelsTest, FloatsLookPastWhatAMaskHides) { check_masked<float>(); }
TEST_F(AttentionKernelsTest, HalvesLookPastWhatAMaskHides) { check_masked<sdk::f16>(); }
TEST_F(AttentionKernelsTest, ShortFloatsLookPastWhatAMaskHides) { check_masked<sdk::bf16>(); }

// Spans of which the last is shorter, and one that a mask hides from some queries.
TEST_F(AttentionKernelsTest, FewQueriesAttendToSpansOfTheKeys) {
  const Sizes sizes{1, 2, 17, 1700, 24, 20, 0, 14};
  const auto check_spans = [&](auto tag) {
    using T = decltype(tag);
    Operands<T> in(sizes);
    check<T>({16, 64}, sizes, in);
    in.mask = noise_of<T>(sizes.queries * sizes.keys, 4);
    for (std::int64_t j = 0; j < 600; ++j) in.mask[static_cast<std::size_t>(j)] = T(-kInfinity);
    check<T>({16, 64}, sizes, in);
  };
  check_spans(float());
  check_spans(sdk::f16());
  check_spans(sdk::bf16());
}

// For each tile of queries its keys and values once, in whole sectors.
template <class T>
void expect_read_once(const Counters& counters, const Instance& instance, const Sizes& sizes) {
  const std::int64_t tiles = (sizes.queries + instance.queries - 1) / instance.queries;
  const std::int64_t rows = sizes.queries + tiles * 2 * sizes.keys;
  const auto read = static_cast<std::uint64_t>(sizes.heads * rows * sizes.width) * sizeof(T);
  const auto written = static_cast<std::uint64_t>(sizes.heads * sizes.queries * sizes.width);
  EXPECT_EQ(counters.global_bytes_read, read);
  EXPECT_EQ(counters.global_bytes_written, written * sizeof(T));
  EXPECT_EQ(counters.global_sectors, (read + written * sizeof(T)) / 32);
  // 16 bytes of each lane are four passes.
  EXPECT_LE(counters.shared_conflicts, 3 * counters.shared_requests);
}

std::uint64_t times(const Counters& counters, const std::string& opcode) {
  const auto found = counters.lanes_by_opcode.find(opcode);
  return found == counters.lanes_by_opcode.end() ? 0 : found->second / 32;
}

// The weights of halves have two parts: three products of 16 x 8 x 16 where the op has two.
TEST_F(AttentionKernelsTest, HalvesTakeAsManyProductsAsTheyHaveParts) {
  for (const Instance& instance : instances<sdk::bf16>()) {
    SCOPED_TRACE(name_of<sdk::bf16>(instance));
    const Sizes sizes{1, 2, 256, 256, instance.width, instance.width};
    const auto out = rig.array<sdk::bf16>(static_cast<std::size_t>(2 * 256 * instance.width));
    const Counters counters = run(instance, sizes, Operands<sdk::bf16>(sizes), out);
    expect_read_once<sdk::bf16>(counters, instance, sizes);
    const auto products = static_cast<std::uint64_t>(2 * 256 * 256 * instance.width / 2048);
    EXPECT_EQ(times(counters, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"), 3 * products);
    EXPECT_LE(counters.warp_instructions, (instance.queries < 64 ? 80 : 40) * products);
  }
}

TEST_F(AttentionKernelsTest, FloatsTakeLittleBesidesTheirProducts) {
  for (const Instance& instance : instances<float>()) {
    SCOPED_TRACE(name_of<float>(instance));
    const Sizes sizes{1, 1, 256, 256, instance.width, instance.width};
    const auto out = rig.array<float>(static_cast<std::size_t>(256 * instance.width));
    const Counters counters = run(instance, sizes, Operands<float>(sizes), out);
    expect_read_once<float>(counters, instance, sizes);
    const auto products = static_cast<std::uint64_t>(2 * 256 * 256 * instance.width / 32);
    EXPECT_LE(times(counters, "fma.rn.f32"), products * 105 / 100);
    EXPECT_LE(counters.warp_instructions, products * (instance.queries < 64 ? 250 : 200) / 100);
  }
}

AttentionArguments of_queries(std::int64_t queries, std::int64_t heads) {
  AttentionArguments op{};
  op.queries = queries;
  op.heads = fast_divmod_of(heads);
  return op;
}

TEST(AttentionTilesTest, AreManyQueriesUnlessMostMultiprocessorsWouldIdle) {
  EXPECT_EQ(attention_queries(of_queries(128, 12), 1, 128, 132), 16);
  EXPECT_EQ(attention_queries(of_queries(512, 12), 1, 128, 132), 32);
  EXPECT_EQ(attention_queries(of_queries(1024, 12), 8, 128, 132), 128);
  EXPECT_EQ(attention_queries(of_queries(1024, 12), 8, 64, 132), 64);
  EXPECT_EQ(attention_queries(of_queries(1, 12), 1000, 128, 132), 16);
  EXPECT_EQ(attention_queries(of_queries(33, 12), 1000, 128, 132), 64);
}

TEST(AttentionTilesTest, ShareTheKeysWhereTheyAreFew) {
  const auto spans_of = [](std::int64_t queries, std::int64_t keys, int tile) {
    AttentionArguments op = of_queries(queries, 12);
    op.keys = keys;
    take_attention_tiles(op, 1, tile);
    take_attention_spans(op, tile, 132);
    return std::pair(op.spans.value, op.span_keys);
  };
  EXPECT_EQ(spans_of(1, 1023, 16), std::pair(INT64_C(1), INT64_C(1023)));
  EXPECT_EQ(spans_of(1, 1024, 16), std::pair(INT64_C(2), INT64_C(512)));
  EXPECT_EQ(spans_of(1, 8192, 16), std::pair(INT64_C(11), INT64_C(768)));
  EXPECT_EQ(spans_of(96, 8192, 16), std::pair(INT64_C(1), INT64_C(8192)));
  EXPECT_EQ(spans_of(1, 8192, 32), std::pair(INT64_C(1), INT64_C(8192)));
}

TEST(AttentionTilesTest, AreOfTheNextWidth) {
  EXPECT_EQ(attention_width(1), 64);
  EXPECT_EQ(attention_width(65), 128);
  EXPECT_EQ(attention_width(129), 0);
}

}  // namespace
}  // namespace loci::cuda
