#include "framework/capture/captured_graph.h"

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>

#include "tests/framework/capture/graph_fixture.h"
#include "tests/support/sim_faults.h"

namespace loci::capture {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kElements = 6;

// How many graphs; LOCI_RANDOM_GRAPHS says otherwise.
int graph_count() {
  const char* asked = std::getenv("LOCI_RANDOM_GRAPHS");
  return asked == nullptr ? 150 : std::atoi(asked);
}

// A step of random ops on tensors, in place and not, once with a graph and once without.
class RandomStep {
 public:
  RandomStep(std::uint64_t seed, const Place& place) : random_(seed), place_(place) {
    const std::size_t inputs = 2 + pick(3);
    for (std::size_t i = 0; i < inputs; ++i) inputs_.push_back(fresh());
    const std::size_t ops = 1 + pick(12);
    for (std::size_t i = 0; i < ops; ++i) {
      ops_.push_back({pick(6), pick(1000), pick(1000)});
    }
  }

  // The values of a run, by their numbers; the inputs first.
  [[nodiscard]] std::vector<Tensor> run(const std::vector<Tensor>& inputs) const {
    std::vector<Tensor> values = inputs;
    for (const Op& op : ops_) {
      const Tensor x = values[op.x % values.size()];
      const Tensor y = values[op.y % values.size()];
      switch (op.kind) {
        case 0: values.push_back(x + y); break;
        case 1: values.push_back(x - y); break;
        case 2: values.push_back(relu(x)); break;
        case 3: values.push_back(x * y); break;
        case 4: x.add_(y); break;
        default: x.copy_(y); break;
      }
      // Temporaries give their memory back within the step.
      if (op.y % 5 == 0 && values.size() > inputs.size() + 2) {
        values.erase(values.end() - 2);
      }
    }
    return values;
  }
  [[nodiscard]] std::vector<Tensor>& inputs() { return inputs_; }
  [[nodiscard]] std::size_t pick(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }
  [[nodiscard]] Tensor fresh() {
    std::vector<float> values;
    for (std::int64_t i = 0; i < kElements; ++i) {
      values.push_back(static_cast<float>(pick(9)) - 4);
    }
    return Tensor::from(values, {kElements}).to(place_);
  }

 private:
  struct Op {
    std::size_t kind;
    std::size_t x;
    std::size_t y;
  };
  std::mt19937_64 random_;
  Place place_;
  std::vector<Tensor> inputs_;
  std::vector<Op> ops_;
};

class CapturedGraphTest : public GraphTest {
 protected:
  // Gives the bits: an element that has overflowed is no number, and unequal to itself.
  static std::vector<std::vector<std::uint32_t>> elements(const std::vector<Tensor>& tensors) {
    std::vector<std::vector<std::uint32_t>> all;
    for (const Tensor& tensor : tensors) {
      for (all.emplace_back(); const float value : floats(tensor)) {
        all.back().push_back(std::bit_cast<std::uint32_t>(value));
      }
    }
    return all;
  }
  [[nodiscard]] std::vector<Tensor> copies(const std::vector<Tensor>& tensors) const {
    std::vector<Tensor> made;
    for (const Tensor& tensor : tensors) {
      made.push_back(Tensor::from(floats(tensor), tensor.shape()).to(place()));
    }
    return made;
  }
  // Something happens to the inputs. Whether the captured step may go on with them as they are.
  bool mutate(RandomStep& step) {
    std::vector<Tensor>& inputs = step.inputs();
    const std::size_t which = step.pick(inputs.size());
    const std::size_t other = step.pick(inputs.size());
    switch (step.pick(6)) {
      case 0: inputs[which].copy_(step.fresh()); return true;
      case 1: inputs[which].fill_(2); return true;
      case 2: inputs[which] = step.fresh(); return false;  // freed, perhaps its memory used again
      case 3: std::swap(inputs[which], inputs[other]); return which == other;
      case 4: {
        for (int i = 0; i < 8; ++i) (void)(step.fresh() + step.fresh());  // memory changes hands
        return true;
      }
      default: return true;
    }
  }
};
LOCI_GRAPH_PLACES(CapturedGraphTest);

// After each mutation the replay gives what a plain run gives on the tensors that were captured, or
// is refused: nothing is silently wrong.
TEST_P(CapturedGraphTest, RandomGraphsAreRightOrRefused) {
  int right = 0;
  int refused = 0;
  for (int seed = 0; seed < graph_count(); ++seed) {
    RandomStep step(static_cast<std::uint64_t>(seed), place());
    Graph graph(place());
    const std::vector<std::weak_ptr<tensor::TensorImpl>> captured = [&] {
      std::vector<std::weak_ptr<tensor::TensorImpl>> all;
      for (const Tensor& input : step.inputs()) all.push_back(input.impl());
      return all;
    }();
    graph.capture_begin();
    std::vector<Tensor> outputs = step.run(step.inputs());
    outputs.erase(outputs.begin(),
                  outputs.begin() + static_cast<std::ptrdiff_t>(step.inputs().size()));
    graph.capture_end();
    for (int round = 0; round < 4; ++round) {
      (void)mutate(step);
      // These were captured, wherever the user has them now; freed ones are gone.
      std::vector<Tensor> now;
      bool all_there = true;
      for (const std::weak_ptr<tensor::TensorImpl>& each : captured) {
        const std::shared_ptr<tensor::TensorImpl> impl = each.lock();
        all_there = all_there && impl != nullptr;
        if (impl != nullptr) now.emplace_back(impl);
      }
      if (!all_there) {
        // Refused if the graph uses it, else right for the others.
        try {
          graph.replay();
        } catch (const Error& error) {
          EXPECT_THAT(error.what(), HasSubstr("freed after the capture"));
          ++refused;
        }
        break;
      }
      const std::vector<Tensor> apart = copies(now);
      std::vector<Tensor> expected = step.run(apart);
      expected.erase(expected.begin(),
                     expected.begin() + static_cast<std::ptrdiff_t>(apart.size()));
      graph.replay();
      ASSERT_EQ(elements(outputs), elements(expected)) << "seed " << seed;
      ASSERT_EQ(elements(now), elements(apart)) << "seed " << seed;
      ++right;
    }
  }
  EXPECT_GT(right, 0);
  EXPECT_GT(refused, 0);
}

TEST_P(CapturedGraphTest, IsOrderedWithOtherStreams) {
  const Tensor x = full({1 << 16}, 0.0, kFloat32).to(place());
  const Tensor one = full({1 << 16}, 1.0, kFloat32).to(place());
  Graph graph(place());
  graph.capture_begin();
  Tensor y = x;
  for (int i = 0; i < 10; ++i) y = y + one;
  graph.capture_end();
  const Stream side(place());
  for (int i = 0; i < 20; ++i) {
    x.fill_(i);
    graph.replay();
    Tensor z;
    {
      const StreamGuard guard(side);
      z = y + y;
    }
    graph.replay(side);
    ASSERT_EQ(floats(z).back(), 2 * (i + 10));
  }
}

// The device says which launch of a replay has failed.
class FailingReplayTest : public CaptureTest {
 protected:
  void SetUp() override {
    (void)floats(x_);  // its copy has been made
    graph_.capture_begin();
    const Tensor sum = x_ + x_;
    y_ = relu(sum);
    graph_.capture_end();
    graph_.replay();
    synchronize("sim:0");
  }
  void TearDown() override {
    test::sim_faults("sim:0").task = 0;
    EXPECT_NO_THROW(synchronize()) << "every test has met its failures";
  }
  // Lets the replay fail, which has that many tasks before it.
  void fail_replay_after(int tasks) { test::sim_faults("sim:0").task = tasks + 2; }
  static std::string thrown_by(const std::function<void()>& body) {
    try {
      body();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  }

  Tensor x_ = Tensor::from<float>({-1, 2}, {2}).to("sim:0");
  Tensor y_;
  Graph graph_{Place("sim:0")};
};

TEST_F(FailingReplayTest, ItsOpIsNamedAndWhatCameBeforeIsRight) {
  fail_replay_after(1);
  const Tensor before = x_ * x_;
  graph_.replay();
  EXPECT_THAT(floats(before), ElementsAre(1, 4));
  EXPECT_THAT(thrown_by([&] { (void)floats(y_); }),
              AllOf(HasSubstr("; it is [relu] float32[2] at sim:0, in a replay of graph "),
                    HasSubstr(", enqueued at "), Not(HasSubstr("one of"))));
  EXPECT_NO_THROW(synchronize("sim:0"));
  graph_.replay();
  EXPECT_THAT(floats(y_), ElementsAre(0, 4)) << "the next one is a replay as any other";
}

TEST_F(FailingReplayTest, ItsOwnResultsFailAndNoReplayBeforeIt) {
  const Tensor kept = full({2}, 0, kFloat32).to("sim:0");
  synchronize("sim:0");
  fail_replay_after(3);
  graph_.replay();
  kept.copy_(y_);
  graph_.replay();
  EXPECT_THAT(floats(kept), ElementsAre(0, 4));
  EXPECT_THAT(thrown_by([&] { (void)floats(y_); }), HasSubstr("[relu]"));
}

TEST_F(FailingReplayTest, ACopyOfItIsNamed) {
  const Tensor target = full({2}, 0, kFloat32).to("sim:0");
  Graph copying(Place("sim:0"));
  copying.capture_begin();
  target.copy_(x_);
  copying.capture_end();
  synchronize("sim:0");
  test::sim_faults("sim:0").task = 1;
  copying.replay();
  EXPECT_THAT(thrown_by([&] { (void)floats(target); }),
              AllOf(HasSubstr("; it is copy of "), HasSubstr("in a replay of graph ")));
}

}  // namespace
}  // namespace loci::capture
