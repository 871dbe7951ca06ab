// Random numbers in the interpreter of PTX: how many instructions one takes, and how exact normal
// ones of float32 are.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <loci/plugin/philox.hpp>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "plugins/cuda/kernels/random/draws.h"
#include "tests/plugins/cuda/image_rig.h"

namespace loci::cuda {
namespace {

using cuda_double::Counters;
using Real = long double;
using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::uint32_t>;

constexpr Real kRoundoff = 0x1p-24L;
// Two units in the last place, and the rounding of the result.
constexpr Real kNormalBound = 5 * kRoundoff;

// 2 pi word / 2^32, less whole quarters of a turn that sines and cosines know.
Real sine_of(std::uint32_t word) {
  const auto rest = static_cast<std::int32_t>(word << 2);
  const Real angle = std::numbers::pi_v<Real> / 2 * static_cast<Real>(rest) * 0x1p-32L;
  switch ((word + 0x20000000U) >> 30) {
    case 0: return std::sin(angle);
    case 1: return std::cos(angle);
    case 2: return -std::sin(angle);
    default: return -std::cos(angle);
  }
}

struct Pair {
  Real cosine;
  Real sine;
};

Pair normal_pair(std::uint32_t radius_word, std::uint32_t angle_word) {
  const Real below_one = -static_cast<Real>(~radius_word) * 0x1p-32L;
  const Real radius = std::sqrt(-2 * std::log1p(below_one));
  return {radius * sine_of(angle_word + 0x40000000U), radius * sine_of(angle_word)};
}

void expect_near(float got, Real wanted) {
  ASSERT_LE(std::abs(got - wanted), kNormalBound * std::abs(wanted)) << wanted;
}

class RandomKernelsTest : public ImageTest {
 protected:
  static constexpr std::uint64_t kSeed = 0xFEDCBA9876543210;
  static constexpr std::uint64_t kRun = 0x0000ABCD00000005;

  template <class T, class Constants>
  Counters draw(const std::string& name, const cuda_double::DeviceArray<T>& out,
                const Constants& constants, unsigned blocks = 2) {
    const auto state = rig.array<std::uint64_t>(std::vector<std::uint64_t>{kSeed, kRun});
    const Drawn drawn{static_cast<std::int64_t>(out.bytes() / sizeof(T)), 3, false};
    return rig.launch(name, {blocks}, {kBlockThreads}, state, out, drawn, constants);
  }

  template <class T, class Constants>
  double instructions(const std::string& name, const Constants& constants) {
    constexpr std::size_t kCount = 65536;
    const Counters counters = draw(name, rig.array<T>(kCount), constants);
    return static_cast<double>(counters.lane_instructions) / kCount;
  }
};

// In PTX, which takes a product of 64 bits apart by several instructions.
TEST_F(RandomKernelsTest, TakesFewInstructionsANumber) {
  load("random");
  EXPECT_LE(instructions<float>("centred_gaussian_f32", 2.0F), 72);
  EXPECT_LE(instructions<std::uint16_t>("centred_gaussian_bf16", 2.0F), 72);
  EXPECT_LE(instructions<float>("uniform_f32", UniformRange<float>{1, 0, 1, 1, false}), 44);
}

// Most of them take a device many times as long as those of float32.
TEST_F(RandomKernelsTest, NormalNumbersOfFloat32TakeNoneOfFloat64) {
  load("random");
  const Counters counters = draw("centred_gaussian_f32", rig.array<float>(64), 2.0F);
  for (const auto& [opcode, lanes] : counters.lanes_by_opcode) {
    EXPECT_THAT(opcode, Not(HasSubstr("f64"))) << lanes;
  }
}

// Also of a count that is no whole blocks, and by other grids.
TEST_F(RandomKernelsTest, NormalNumbersAreThoseOfTheirWords) {
  load("random");
  for (const std::size_t count : {1U, 6U, 4099U, 100'001U}) {
    for (const unsigned blocks : {1U, 9U}) {
      const auto array = rig.array<float>(count);
      draw("centred_gaussian_f32", array, 2.0F, blocks);
      ASSERT_TRUE(array.is_written());
      const std::vector<float> out = array.get();
      for (std::size_t i = 0; i < count; ++i) {
        const auto words = sdk::philox4x32_10(sdk::random_counter(i / 4, kRun, 3), kSeed);
        const std::size_t word = i % 4 / 2 * 2;
        const Pair pair = normal_pair(words[word], words[word + 1]);
        expect_near(out[i], i % 2 == 0 ? pair.cosine : pair.sine);
      }
    }
  }
}

TEST_F(RandomKernelsTest, NumbersHaveTheDeviation) {
  load("random");
  constexpr std::size_t kCount = 4096;
  const auto ones = rig.array<float>(kCount);
  const auto some = rig.array<float>(kCount);
  draw("centred_gaussian_f32", ones, 2.0F);
  draw("centred_gaussian_f32", some, 2 * 0.25F * 0.25F);
  const std::vector<float> one = ones.get();
  const std::vector<float> quarter = some.get();
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_NEAR(quarter[i], one[i] / 4, 1e-6);
}

class NormalPairsTest : public ImageTest {
 protected:
  void SetUp() override {
    std::ifstream file(LOCI_TEST_NORMAL_PAIRS);
    ASSERT_TRUE(file) << LOCI_TEST_NORMAL_PAIRS;
    rig.load(std::string{std::istreambuf_iterator<char>(file), {}});
  }

  void check(const Words& words) {
    const auto out = rig.array<float>(words.size());
    const auto in = rig.array<std::uint32_t>(words);
    rig.launch("normal_pairs", {static_cast<unsigned>(words.size() / 64)}, {32}, in, out);
    const std::vector<float> values = out.get();
    for (std::size_t i = 0; i < words.size(); i += 2) {
      SCOPED_TRACE(words[i]);
      SCOPED_TRACE(words[i + 1]);
      const Pair pair = normal_pair(words[i], words[i + 1]);
      expect_near(values[i], pair.cosine);
      expect_near(values[i + 1], pair.sine);
    }
  }

  std::mt19937 engine{7};
};

TEST_F(NormalPairsTest, AreExactOfAnyWords) {
  Words words(1 << 17);
  for (std::uint32_t& word : words) word = engine();
  check(words);
}

// Logarithms of next to nothing and of all but 1, and angles around quarters and eighths.
TEST_F(NormalPairsTest, AreExactAtTheEnds) {
  Words ends;
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    for (std::uint32_t near = 0; near < 5; ++near) {
      ends.push_back((1U << bit) + near - 2);
      ends.push_back(0xAAAAAAAAU + (1U << bit) + near - 2);
    }
  }
  while (ends.size() % 32 != 0) ends.push_back(0xFFFFFFFF);
  Words words;
  for (const std::uint32_t end : ends) {
    words.push_back(end);
    words.push_back(engine());
    words.push_back(engine());
    words.push_back(end + (engine() & 0xE0000000U));
  }
  check(words);
}

}  // namespace
}  // namespace loci::cuda
