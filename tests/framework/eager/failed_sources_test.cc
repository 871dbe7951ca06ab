// A device may tell late of work that failed whose results were read or changed meanwhile: no
// tensor that hangs on them may be read.
#include <optional>

#include "tests/framework/capture/native_fixture.h"

namespace loci::eager {
namespace {

using capture::in_native_context;
using capture::on_sim;
using capture::WithCapturer;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Tensor ones(const Place& place = Place("sim:0")) { return full({2}, 1.0, kFloat32, place); }

// The fault is told to whoever waits, not to the tensor's reader.
void wait_in_vain() {
  EXPECT_THAT([] { synchronize(); },
              ThrowsMessage<Error>(HasSubstr("it fails, as the settings of the device ask for")));
}

// Elements, or nothing if they are refused.
std::optional<std::vector<float>> read(const Tensor& tensor) {
  try {
    return tensor.to_vector<float>();
  } catch (const Error&) {
    return std::nullopt;
  }
}

TEST(FailedSourcesTest, AChangeInPlaceOfWhatHasFailedFails) {
  in_native_context({{"SIM", "fail_task=3"}}, [] {
    const Tensor one = ones();
    const Tensor x = ones();
    x.add_(one);
    wait_in_vain();
    x.add_(one);
    EXPECT_EQ(read(x), std::nullopt);
    const Tensor y = x + one;
    EXPECT_EQ(read(y), std::nullopt);
  });
}

TEST(FailedSourcesTest, AlsoInAnotherStream) {
  in_native_context({{"SIM", "fail_task=3"}}, [] {
    const Tensor one = ones();
    const Tensor x = ones();
    x.add_(one);
    wait_in_vain();
    const Stream other(Place("sim:0"));
    {
      const StreamGuard guard(other);
      x.add_(one);
    }
    EXPECT_EQ(read(x), std::nullopt);
  });
}

TEST(FailedSourcesTest, WhatIsWrittenInPartKeepsTheFailureOfTheRest) {
  in_native_context({{"SIM", "fail_task=3"}}, [] {
    const Tensor one = ones();
    const Tensor x = ones();
    const Tensor first = x.rows(0, 1);
    x.add_(one);
    wait_in_vain();
    first.fill_(5);
    EXPECT_EQ(read(x), std::nullopt);
  });
}

TEST(FailedSourcesTest, WhatIsWrittenWholeIsAsGoodAsNew) {
  in_native_context({{"SIM", "fail_task=2"}}, [] {
    const Tensor x = ones();
    const Tensor y = relu(x);
    wait_in_vain();
    y.copy_(full({2}, 5.0, kFloat32, Place("sim:0")));
    EXPECT_EQ(read(y), (std::vector<float>{5, 5}));
  });
}

// Device graphs and launch lists are alike here: each replay that is read is right, or refused,
// wherever the device fails and whenever somebody is told.
TEST(FailedSourcesTest, NoReplayGoesOnFromWhatHasFailed) {
  for (const WithCapturer capturer : {WithCapturer::kYes, WithCapturer::kNo}) {
    int refused = 0;
    for (int fault = 1; fault <= 14; ++fault) {
      for (const bool is_told : {false, true}) {
        in_native_context(
            {{"SIM", "fail_task=" + std::to_string(fault)}},
            [&] {
              const Tensor one = ones();
              const Tensor x = ones();
              Graph graph("sim:0");
              graph.capture_begin();
              const Tensor y = x + one;
              x.add_(y);
              graph.capture_end();
              float expected = 1;
              for (int replay = 0; replay < 4; ++replay) {
                try {
                  graph.replay();
                  if (is_told) synchronize();
                } catch (const Error&) {
                  // Told here, and again to whoever reads.
                }
                expected = 2 * expected + 1;
              }
              const auto found = read(x);
              const std::vector<float> right{expected, expected};
              EXPECT_EQ(found.value_or(right), right) << fault;
              refused += found ? 0 : 1;
            },
            capturer);
      }
    }
    EXPECT_GT(refused, 3);
  }
}

}  // namespace
}  // namespace loci::eager
