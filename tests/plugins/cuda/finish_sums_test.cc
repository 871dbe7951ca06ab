// Kernels behind products of a library compute the right results, and move and issue no more than
// they must. Small whole numbers are bfloat16s, too.
#include <bit>
#include <cmath>
#include <functional>

#include "plugins/cuda/kernels/conv2d/conv2d_gather.h"
#include "plugins/cuda/kernels/launch/fast_divmod.h"
#include "plugins/cuda/kernels/matmul/matmul_products.h"
#include "tests/plugins/cuda/image_rig.h"

namespace loci::cuda {
namespace {

using cuda_double::Counters;
using Bfloat16 = std::uint16_t;
using Numbers = std::vector<float>;

Numbers numbers(std::size_t count, const std::function<int(std::size_t)>& of) {
  Numbers all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<float>(of(i)));
  return all;
}

// Turn numbers into elements of a type, and back.
template <class T>
std::vector<T> elements_of(const Numbers& all) {
  if constexpr (std::is_same_v<T, float>) {
    return all;
  } else {
    std::vector<T> halves;
    for (const float number : all) {
      halves.push_back(static_cast<T>(std::bit_cast<std::uint32_t>(number) >> 16));
    }
    return halves;
  }
}
template <class T>
Numbers numbers_of(const std::vector<T>& elements) {
  if constexpr (std::is_same_v<T, float>) {
    return elements;
  } else {
    Numbers all;
    for (const T half : elements) {
      all.push_back(std::bit_cast<float>(std::uint32_t{half} << 16));
    }
    return all;
  }
}

template <class T>
constexpr const char* kSuffix = sizeof(T) == 2 ? "_bf16" : "_f32";

class FinishSumsTest : public ImageTest {
 protected:
  static constexpr std::int64_t kRows = 48;

  void SetUp() override { load("finish_sums"); }

  template <class T>
  static std::int64_t threads_for(std::size_t count) {
    constexpr std::size_t kLanes = 16 / sizeof(T);
    return static_cast<std::int64_t>((count + kLanes - 1) / kLanes);
  }
  template <class T>
  static const void* at(const cuda_double::DeviceArray<T>& array, std::size_t first = 0) {
    return reinterpret_cast<const void*>(array.address() + first * sizeof(T));
  }

  // ReLU of what a product has of sums, a bias of each column and a residual, which begins at that
  // element. Threads take so many turns.
  template <class T>
  Counters finish_rows(std::int64_t columns, std::size_t first = 0, std::int64_t turns = 1) {
    const auto width = static_cast<std::size_t>(columns);
    const std::size_t count = kRows * width;
    const Numbers sum = numbers(count, [](std::size_t i) { return static_cast<int>(i % 13) - 9; });
    const Numbers bias = numbers(width, [](std::size_t i) { return static_cast<int>(i % 5); });
    const Numbers residual = numbers(count + first, [](std::size_t i) { return i % 3; });
    const auto sums = rig.array<float>(sum);
    const auto biases = rig.array<T>(elements_of<T>(bias));
    const auto residuals = rig.array<T>(elements_of<T>(residual));
    const auto out = rig.array<T>(count);
    const MatmulEpilogue epilogue{at(biases), columns, at(residuals, first), Activation::kRelu};
    const Counters counters =
        launch(std::string("finish_matmul") + kSuffix<T>, threads_for<T>(count) / turns, sums, out,
               static_cast<std::int64_t>(count), fast_divmod_of(columns), epilogue);
    const Numbers results = numbers_of<T>(out.get());
    for (std::size_t i = 0; i < count; ++i) {
      const float expected = std::max(0.0F, sum[i] + bias[i % width] + residual[i + first]);
      EXPECT_EQ(results[i], expected) << i;
      if (results[i] != expected) break;
    }
    return counters;
  }

  static double each(std::uint64_t all, std::int64_t columns) {
    return static_cast<double>(all) / static_cast<double>(kRows * columns);
  }

  // Bias and norm of each channel, a residual and ReLU.
  template <class T>
  void finish_planes(std::int64_t plane) {
    constexpr std::size_t kChannels = 3;
    const auto size = static_cast<std::size_t>(plane);
    const std::size_t count = 4 * kChannels * size;
    const Numbers sum = numbers(count, [](std::size_t i) { return static_cast<int>(i % 11) - 6; });
    const Numbers residual = numbers(count, [](std::size_t i) { return i % 4; });
    const auto sums = rig.array<float>(sum);
    const auto residuals = rig.array<T>(elements_of<T>(residual));
    const auto biases = rig.array<T>(elements_of<T>({1, 2, 3}));
    const auto scales = rig.array<T>(elements_of<T>({2, 4, 6}));
    const auto shifts = rig.array<T>(elements_of<T>({5, 7, 9}));
    const auto means = rig.array<float>(Numbers{1, 0, 2});
    const auto variances = rig.array<float>(Numbers{4, 1, 4});
    const Numbers factor{1, 4, 3};
    const auto out = rig.array<T>(count);
    const ConvEpilogue epilogue{at(biases),    at(scales),    at(shifts), at(means),
                                at(variances), at(residuals), 0,          Activation::kRelu};
    launch(std::string("finish_conv2d") + kSuffix<T>, threads_for<T>(count), sums, out,
           static_cast<std::int64_t>(count), Extent{plane, fast_divmod_of(plane).division},
           Extent{kChannels, fast_division_by(kChannels)}, epilogue);
    const Numbers results = numbers_of<T>(out.get());
    const Numbers bias{1, 2, 3};
    const Numbers shift{5, 7, 9};
    const Numbers mean{1, 0, 2};
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t channel = i / size % kChannels;
      const float normed = (sum[i] + bias[channel] - mean[channel]) * factor[channel];
      const float expected = std::max(0.0F, normed + shift[channel] + residual[i]);
      ASSERT_EQ(results[i], expected) << "plane of " << plane << ", " << i;
    }
  }
};

TEST_F(FinishSumsTest, MovesAndIssuesNoMoreThanItMust) {
  constexpr std::int64_t kColumns = 256;
  constexpr std::int64_t kTurns = 6;
  const Counters floats = finish_rows<float>(kColumns, 0, kTurns);
  const Counters halves = finish_rows<Bfloat16>(kColumns, 0, kTurns);
  // The bias, a vector of which each thread reads, besides.
  EXPECT_LE(each(floats.global_bytes_read + floats.global_bytes_written, kColumns), 4 * 4);
  EXPECT_LE(each(halves.global_bytes_read + halves.global_bytes_written, kColumns), 4 + 3 * 2);
  EXPECT_LE(each(floats.lane_instructions, kColumns), 20);
  EXPECT_LE(each(halves.lane_instructions, kColumns), 15);
  std::printf("an element takes %.1f instructions as float32, %.1f as bfloat16\n",
              each(floats.lane_instructions, kColumns), each(halves.lane_instructions, kColumns));
}

TEST_F(FinishSumsTest, EndsRowsOfAnyLength) {
  for (const std::int64_t columns : {1, 3, 8, 9, 12, 33, 100}) {
    finish_rows<float>(columns);
    finish_rows<Bfloat16>(columns);
  }
}

TEST_F(FinishSumsTest, TakesAResidualThatBeginsAnywhere) {
  finish_rows<float>(24, 1);
  finish_rows<Bfloat16>(24, 3);
}

TEST_F(FinishSumsTest, EndsPlanesOfAnySize) {
  for (const std::int64_t plane : {1, 4, 7, 8, 9, 16, 49}) {
    finish_planes<float>(plane);
    finish_planes<Bfloat16>(plane);
  }
}

TEST_F(FinishSumsTest, SumsMayLieWhereResultsAreToBe) {
  const auto sums = rig.array<float>(Numbers{-1, 2, -3, 4, 5, -6});
  const MatmulEpilogue epilogue{nullptr, 6, nullptr, Activation::kRelu};
  launch("finish_matmul_f32", 2, sums, sums, std::int64_t{6}, fast_divmod_of(6), epilogue);
  EXPECT_EQ(sums.get(), (Numbers{0, 2, 0, 4, 5, 0}));
}

}  // namespace
}  // namespace loci::cuda
