#include "framework/capture/drawing_replay.h"

#include <algorithm>
#include <array>

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

class DrawingReplayTest : public GraphTest {};
LOCI_GRAPH_PLACES(DrawingReplayTest);

// F2, F3: k replays draw what k plain steps draw, and what comes after them goes on from there.
TEST_P(DrawingReplayTest, DrawsAsPlainStepsDo) {
  constexpr int kSteps = 6;
  std::array<std::vector<std::vector<float>>, 2> seen;
  for (const bool captured : {false, true}) {
    seed(17);
    const Tensor x = full({64}, 1.0, kFloat32).to(place());
    Tensor y;
    Tensor z;
    const auto step = [&] {
      y = dropout(x, 0.5) + dropout(x, 0.25);
      z = rand({9}, -1, 1, kFloat32, place()) * randn({9}, 0, 1, kFloat32, place());
    };
    Graph graph(place());
    for (int i = 0; i < kSteps; ++i) {
      if (captured && i == 1) {
        graph.capture_begin();
        step();
        graph.capture_end();
      }
      captured&& i >= 1 ? graph.replay() : step();
      seen[captured].push_back(floats(y));
      seen[captured].push_back(floats(z));
    }
    seen[captured].push_back(floats(dropout(x, 0.5)));  // plain ones go on behind them
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_NE(seen[1][2], seen[1][4]) << "two replays differ";
}

// The state of a graph never lies in memory that an op before the draw has left: that op writes it
// in each replay.
TEST_P(DrawingReplayTest, DrawsBehindTemporariesOfEachSize) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 16; size <= 1 << 14; size += std::max<std::int64_t>(16, size / 8)) {
    sizes.push_back(size);  // each class of small blocks, of 64 bytes to 32 KiB
  }
  for (int power = 15; power <= 21; ++power) sizes.push_back(std::int64_t{1} << power);
  for (const std::int64_t size : sizes) {
    const Tensor x = full({size}, 1.0, kFloat32).to(place());
    Tensor last;
    Tensor drawn;
    const auto step = [&] {
      last = tanh(x + 0.1);
      drawn = rand({8}, 0, 1, kFloat32, place());
      last = tanh(last * 3.0);
      drawn += rand({8}, 0, 1, kFloat32, place());
    };
    std::array<std::vector<std::vector<float>>, 2> seen;
    for (const bool captured : {false, true}) {
      seed(29);
      Graph graph(place());
      if (captured) graph.capture_begin();
      if (captured) step();
      if (captured) graph.capture_end();
      for (int i = 0; i < 3; ++i) {
        captured ? graph.replay() : step();
        seen[captured].push_back(floats(drawn));
      }
    }
    EXPECT_EQ(seen[0], seen[1]) << "behind temporaries of " << size << " elements";
  }
}

TEST_P(DrawingReplayTest, ReplaysInFlightDrawTheirOwn) {
  seed(3);
  const Tensor x = full({1 << 12}, 1.0, kFloat32).to(place());
  const Tensor sum = full({1 << 12}, 0.0, kFloat32).to(place());
  Graph graph(place());
  graph.capture_begin();
  sum.add_(dropout(x, 0.5));
  graph.capture_end();
  for (int i = 0; i < 20; ++i) graph.replay();
  const std::vector<float> captured = floats(sum);
  seed(3);
  sum.fill_(0);
  for (int i = 0; i < 20; ++i) sum.add_(dropout(x, 0.5));
  EXPECT_EQ(captured, floats(sum));
}

// Each takes one number, drawn in or not, as it does without a graph.
TEST_P(DrawingReplayTest, ControlFlowDrawsAsPlainStepsDo) {
  using Tensors = std::vector<Tensor>;
  std::array<std::vector<std::vector<float>>, 2> seen;
  for (const bool captured : {false, true}) {
    seed(23);
    const Tensor xs = full({3, 64}, 1.0, kFloat32).to(place());
    const Tensor zero = full({64}, 0.0, kFloat32).to(place());
    Tensor sum;
    const auto step = [&] {
      sum = scan(
                [](const Tensors& carry, const Tensors& x) {
                  return ScanResult<Tensor>{{carry[0] + dropout(x[0])}, {}};
                },
                Tensors{zero}, Tensors{xs})
                .carry[0];
      scan(
          [](const Tensors& carry, const Tensors&) {
            return ScanResult<Tensor>{carry, {}};
          },
          Tensors{zero}, Tensors{xs});
    };
    Graph graph(place());
    for (int i = 0; i < 3; ++i) {
      if (captured && i == 1) {
        graph.capture_begin();
        step();
        graph.capture_end();
      }
      captured&& i >= 1 ? graph.replay() : step();
      seen[captured].push_back(floats(sum));
    }
    seen[captured].push_back(floats(dropout(zero + 1.0)));
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_NE(seen[1][1], seen[1][2]) << "two replays differ";
}

TEST_P(DrawingReplayTest, ControlFlowThatDrawsNothingIsReplayedToo) {
  const Tensor xs = full({3, 4}, 2.0, kFloat32).to(place());
  Tensor stacked;
  Graph graph(place());
  graph.capture_begin();
  stacked = scan(
                [](const std::vector<Tensor>&, const std::vector<Tensor>& x) {
                  return ScanResult<Tensor>{{}, {x[0] * 3.0}};
                },
                std::vector<Tensor>{}, std::vector<Tensor>{xs})
                .ys[0];
  graph.capture_end();
  graph.replay();
  EXPECT_EQ(floats(stacked), std::vector<float>(12, 6.0F));
}

}  // namespace
}  // namespace loci::capture
