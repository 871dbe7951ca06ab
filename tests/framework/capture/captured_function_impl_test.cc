#include "framework/capture/captured_function_impl.h"

#include <optional>
#include <random>
#include <thread>

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Tensors = std::vector<Tensor>;

// A captured function shows through its handle what it keeps, and for whom.
class CapturedFunctionImplTest : public GraphTest {
 protected:
  [[nodiscard]] CaptureOptions here() const {
    CaptureOptions options;
    options.place = place();
    return options;
  }
  [[nodiscard]] Tensor ones(std::int64_t count, double value = 1) const {
    return full({count}, value, kFloat32).to(place());
  }
};
LOCI_GRAPH_PLACES(CapturedFunctionImplTest);

TEST_P(CapturedFunctionImplTest, KeepsToItsBytes) {
  constexpr std::uint64_t kMiB = 1U << 20;
  CaptureOptions options = here();
  options.most_bytes = 24 * kMiB;
  const CapturedFunction scale([](const Tensors& in) { return Tensors{in[0] * 3.0}; }, options);
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t i = 0; i < 8; ++i) {
      const Tensor x = ones((1 << 19) + i, 2);  // 2 MiB, and 2 more for its result
      for (int call = 0; call < 3; ++call) ASSERT_EQ(floats(scale({x})[0]).back(), 6);
      ASSERT_LE(scale.report().bytes_held, options.most_bytes);
    }
  }
  EXPECT_GE(scale.report().evictions, 8U);
  EXPECT_LT(scale.report().forms.size(), 8U);
}

TEST_P(CapturedFunctionImplTest, AGraphLargerThanTheLimitIsPlain) {
  CaptureOptions options = here();
  options.most_bytes = 1 << 20;
  const CapturedFunction scale([](const Tensors& in) { return Tensors{in[0] * 3.0}; }, options);
  const Tensor x = ones(1 << 20, 2);
  for (int call = 0; call < 3; ++call) EXPECT_EQ(floats(scale({x})[0]).back(), 6);
  const CaptureReport report = scale.report();
  EXPECT_EQ(report.forms.at(0).state, CaptureState::kPlain);
  EXPECT_THAT(report.forms.at(0).reason, HasSubstr("most_bytes is 1048576"));
  EXPECT_LE(report.bytes_held, options.most_bytes);
}

TEST_P(CapturedFunctionImplTest, AStepThatNeedsMoreIsNotCaptured) {
  constexpr std::int64_t kCount = 1 << 18;  // 1 MiB
  CaptureOptions options = here();
  options.most_bytes = 3 << 20;
  const CapturedFunction step(
      [](const Tensors& in) {
        std::vector<Tensor> kept;
        for (int i = 0; i < 4; ++i) kept.push_back(in[0] * (i + 1.0));
        return Tensors{kept[0] + kept[3]};
      },
      options);
  const Tensor x = ones(kCount, 2);
  EXPECT_EQ(floats(step({x})[0]).back(), 10);
  EXPECT_EQ(step.report().forms.at(0).estimated_bytes, 5U << 20);
  EXPECT_THAT(step.report().to_string(), HasSubstr("its graph will take 5242880 bytes at least"));
  for (int call = 0; call < 2; ++call) EXPECT_EQ(floats(step({x})[0]).back(), 10);
  const CapturedForm form = step.report().forms.at(0);
  EXPECT_EQ(form.captures, 0U) << "there was no capture";
  EXPECT_EQ(form.state, CaptureState::kPlain);
  EXPECT_THAT(form.reason,
              AllOf(HasSubstr("its graph needs at least "), HasSubstr("most_bytes is 3145728")));
}

// It goes for the sake of others, and is found to be plain anew each time that it comes back.
TEST_P(CapturedFunctionImplTest, AFormThatComesBackIsWarnedOfOnce) {
  CaptureOptions options = here();
  options.most_bytes = 1 << 20;
  const CapturedFunction step(
      [](const Tensors& in) {
        in[0].add_(in[0]);
        return Tensors{in[0] + 1.0};
      },
      options);
  ::testing::internal::CaptureStderr();
  for (int round = 0; round < 3; ++round) {
    // More plain forms than the limit has room for.
    for (std::int64_t count = 1; count <= 1'100; ++count) {
      const Tensor x = ones(count, 0);
      for (int call = 0; call < (count == 1 ? 3 : 1); ++call) (void)step({x});
    }
  }
  synchronize(place());
  const std::string log = ::testing::internal::GetCapturedStderr();
  const std::string warning = "a step of float32[1] at " + place().to_string();
  const std::size_t first = log.find(warning);
  ASSERT_NE(first, std::string::npos) << log.substr(0, 1'000);
  EXPECT_EQ(log.find(warning, first + 1), std::string::npos);
}

TEST_P(CapturedFunctionImplTest, OneThatCallsItselfDoesNotWaitForItself) {
  std::optional<CapturedFunction> self;
  self.emplace(
      [&](const Tensors& in) {
        return in[0].shape()[0] == 1 ? Tensors{in[0] * 2.0} : (*self)({in[0].rows(0, 1)});
      },
      here());
  for (int i = 0; i < 3; ++i) EXPECT_THAT(floats((*self)({vector({4, 5})})[0]), ElementsAre(8));
}

TEST_P(CapturedFunctionImplTest, ThreadsTakeTurns) {
  const CapturedFunction square([](const Tensors& in) { return Tensors{in[0] * in[0]}; }, here());
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 1; t <= 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const float value = static_cast<float>(t * 100 + i);
        const Tensors results = square({vector({value, value})});
        if (floats(results[0]) != std::vector<float>{value * value, value * value}) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(square.report().forms.at(0).captures, 1U);
}

TEST_P(CapturedFunctionImplTest, AnyOrderOfFormsIsRight) {
  CaptureOptions options = here();
  options.most_bytes = 8 << 20;
  const Tensor bias = vector({3});
  const CapturedFunction fn(
      [&](const Tensors& in) { return Tensors{relu(in[0] * 2.0 - 5.0) + bias}; }, options);
  std::mt19937_64 random(11);
  for (int i = 0; i < 300; ++i) {
    const auto count = static_cast<std::int64_t>(1 + random() % 9) << (random() % 12);
    const double value = static_cast<double>(random() % 100);
    const float expected = std::max(0.0F, static_cast<float>(value) * 2 - 5) + 3;
    ASSERT_EQ(floats(fn({ones(count, value)})[0]),
              std::vector<float>(static_cast<std::size_t>(count), expected));
  }
}

}  // namespace
}  // namespace loci::capture
