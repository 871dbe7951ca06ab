// Graphs on the CPU whose launches threads share, as replays come to them.
#include "framework/capture/graph_cores.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "framework/core/sanitizer.h"
#include "framework/profiler/profile.h"
#include "framework/profiler/profile_file.h"
#include "tests/framework/capture/graph_fixture.h"
#include "tests/support/process_width.h"
#include "tests/support/scratch_directory.h"

namespace loci::capture {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Step = std::function<std::vector<Tensor>()>;

// Replays until the launches of a graph have been measured.
constexpr int kMeasured = 10;

class GraphCoresTest : public CaptureTest {
 protected:
  GraphCoresTest() { core::set_config_value("CORE_FORKS", "2"); }
  ~GraphCoresTest() override { core::set_config_value("CORE_FORKS", ""); }

  const test::ProcessWidth width_{2};
};

// A step that is captured; what it reads is kept.
struct Captured {
  explicit Captured(Step given) : step(std::move(given)), graph("cpu") {
    graph.capture_begin();
    results = step();
    graph.capture_end();
  }
  std::vector<std::vector<float>> run() {
    graph.replay();
    std::vector<std::vector<float>> values;
    for (const Tensor& each : results) values.push_back(each.to_vector<float>());
    return values;
  }
  [[nodiscard]] std::string told() const { return graph.stats().segments.at(0).reason; }

  const Step step;
  Graph graph;
  std::vector<Tensor> results;
};

void share(Captured* captured) {
  for (int i = 0; i < kMeasured + 2; ++i) captured->run();
  ASSERT_THAT(captured->told(), HasSubstr("threads share"));
}

Tensor tower(const Tensor& x, const Tensor& weight) {
  Tensor y = x;
  for (int i = 0; i < 6; ++i) y = tanh(matmul(y, weight) + 0.5);
  return y;
}

// Two towers, whose temporaries have the same memory as they are captured.
Step towers(const Tensor& x) {
  const Tensor left = full({8, 8}, 0.125, kFloat32);
  const Tensor right = full({8, 8}, -0.25, kFloat32);
  return [=] { return std::vector<Tensor>{tower(x, left) + tower(x, right)}; };
}

std::vector<std::vector<float>> plainly(const Step& step) {
  std::vector<std::vector<float>> values;
  for (const Tensor& each : step()) values.push_back(each.to_vector<float>());
  return values;
}

TEST_F(GraphCoresTest, ComputesTheSameBits) {
  const Tensor x = rand({8, 8}, -1, 1);
  const Step step = towers(x);
  Captured captured(step);
  for (int i = 0; i < 3 * kMeasured; ++i) {
    x.copy_(rand({8, 8}, -1, 1));
    EXPECT_EQ(captured.run(), plainly(step)) << i;
  }
  EXPECT_THAT(captured.told(), AllOf(HasSubstr("has no graphs of its own; "),
                                     HasSubstr("threads share 37 launches in 3 pieces"),
                                     HasSubstr(" runs, 1 without that")));
}

TEST_F(GraphCoresTest, FilesTellWhatThreadsShare) {
  const Tensor x = rand({8, 8}, -1, 1);
  Captured captured(towers(x));
  share(&captured);
  const test::ScratchDirectory scratch;
  captured.graph.print_to_dot_files(scratch.path("graph"));
  std::ifstream file(scratch.path("graph.segments.txt"));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr("threads share 37 launches in 3 pieces"));
}

TEST_F(GraphCoresTest, OffIsOff) {
  const Tensor x = rand({8, 8}, -1, 1);
  const auto told = [&] {
    Captured captured(towers(x));
    for (int i = 0; i < 2 * kMeasured; ++i) captured.run();
    return captured.told();
  };
  {
    const test::ProcessWidth one{1};
    EXPECT_THAT(told(), Not(HasSubstr("threads share")));
  }
  core::set_config_value("CORE_FORKS", "0");
  EXPECT_THAT(told(), Not(HasSubstr("threads share")));
}

TEST_F(GraphCoresTest, AChainHasNothingToShare) {
  const Tensor x = rand({8, 8}, -1, 1);
  Captured captured([&] { return std::vector<Tensor>{tower(x, x)}; });
  for (int i = 0; i < 2 * kMeasured; ++i) captured.run();
  EXPECT_THAT(captured.told(), Not(HasSubstr("threads share")));
}

// An op without elements that reads a temporary is an item that does nothing: it has no arguments.
TEST_F(GraphCoresTest, WhatHasNoElementsReadsTemporaries) {
  const Tensor x = rand({8, 8}, -1, 1);
  const Tensor none = full({8, 0}, 1.0, kFloat32);
  const Step step = [&] {
    const Tensor a = x * 2.0;
    const Tensor b = slice(a, {1}, {5}, {5});
    const Tensor c = tower(x, a);
    const Tensor d = tower(a, x) * reduce_sum(b * none);
    return std::vector<Tensor>{relu(b), c + d, concat(std::vector<Tensor>{b, none, a}, 1)};
  };
  Captured captured(step);
  for (int i = 0; i < 2 * kMeasured; ++i) {
    x.copy_(rand({8, 8}, -1, 1));
    EXPECT_EQ(captured.run(), plainly(step)) << i;
  }
  EXPECT_THAT(captured.told(), HasSubstr("threads share"));
}

// Both ways take turns, whichever wins.
TEST_F(GraphCoresTest, WhatWasMeasuredIsTold) {
  core::set_config_value("CORE_FORKS", "1");
  const Tensor x = full({64, 64}, 0.01, kFloat32);
  Captured captured([&] { return std::vector<Tensor>{tower(x, x) + tower(x, x)}; });
  for (int i = 0; i < kMeasured; ++i) captured.run();
  if (captured.told().find("threads share") == std::string::npos) {
    GTEST_SKIP() << "launches took too long to be told apart";
  }
  for (int i = 0; i < 20; ++i) captured.run();
  EXPECT_THAT(captured.told(), HasSubstr(" us instead of "));
}

// Without the number of the graph.
std::string error_of(Captured* captured) {
  try {
    captured->run();
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.substr(text.find(" launches, "));
  }
  return "";
}

// Whichever track it is in, and whichever thread met it first.
TEST_F(GraphCoresTest, AnErrorIsThatOfTheFirstLaunch) {
  const Tensor table = rand({10, 8}, -1, 1);
  const Tensor first = Tensor::from<std::int64_t>({1, 2}, {2});
  const Tensor second = Tensor::from<std::int64_t>({3, 4}, {2});
  const Tensor square = rand({8, 8}, -1, 1);
  const Step step = [&] {
    const Tensor left = tower(embedding(table, first), square);
    return std::vector<Tensor>{left + tower(embedding(table, second), square)};
  };
  Captured shared(step);
  share(&shared);
  core::set_config_value("CORE_FORKS", "0");
  Captured plain(step);
  for (const auto& [one, other] : {std::pair<int, int>{77, 5}, {4, 99}, {77, 99}}) {
    first.copy_(Tensor::from<std::int64_t>({1, one}, {2}));
    second.copy_(Tensor::from<std::int64_t>({3, other}, {2}));
    const std::string expected = error_of(&plain);
    EXPECT_THAT(expected, AllOf(HasSubstr("embedding"), HasSubstr(one == 4 ? "99" : "77")));
    for (int i = 0; i < 20; ++i) EXPECT_EQ(error_of(&shared), expected);
  }
  first.copy_(Tensor::from<std::int64_t>({1, 2}, {2}));
  second.copy_(Tensor::from<std::int64_t>({3, 4}, {2}));
  EXPECT_EQ(shared.run(), plain.run()) << "the next replay is as any other";
}

// Copies, and changes in place, use the graph's memory besides launches.
TEST_F(GraphCoresTest, CopiesAndChangesInPlaceAreInOrder) {
  const Tensor x = rand({8, 8}, -1, 1);
  const Tensor state = zeros({8, 8}, kFloat32);
  const Step step = [&] {
    const Tensor half = tower(x, x);
    const Tensor copied = zeros({8, 8}, kFloat32);
    copied.copy_(half);
    const Tensor other = tower(copied, x);
    state.add_(other);
    copied.copy_(other);
    return std::vector<Tensor>{tower(copied, x) + tower(state, x), copied.rows(2, 4) + 1.0};
  };
  Captured captured(step);
  const Tensor begun = zeros({8, 8}, kFloat32);
  for (int i = 0; i < 3 * kMeasured; ++i) {
    x.copy_(rand({8, 8}, -1, 1));
    begun.copy_(state);
    const auto replayed = captured.run();
    const std::vector<float> changed = state.to_vector<float>();
    state.copy_(begun);
    EXPECT_EQ(replayed, plainly(step)) << i;
    EXPECT_EQ(changed, state.to_vector<float>()) << i;
  }
  EXPECT_THAT(captured.told(), HasSubstr("threads share"));
}

// Random steps: some ops change tensors in place, some see a part of one, some draw.
class RandomSharedStep {
 public:
  explicit RandomSharedStep(std::uint32_t seed) : seed_(seed) {
    for (int i = 0; i < 3; ++i) inputs_.push_back(rand({6, 6}, -1, 1));
  }
  std::vector<Tensor> operator()() const {
    std::mt19937 dice(seed_);
    std::vector<Tensor> values = inputs_;
    std::vector<Tensor> made;
    for (int i = 0; i < 60; ++i) {
      const auto pick = [&] { return values[dice() % values.size()]; };
      const Tensor a = pick();
      const Tensor b = pick();
      switch (dice() % 7) {
        case 0: made.push_back(a + b); break;
        case 1: made.push_back(tanh(matmul(a, b))); break;
        case 2: made.push_back(concat(std::vector<Tensor>{a.rows(0, 3), b.rows(3, 6)}, 0)); break;
        case 3: made.push_back(softmax(a)); break;
        case 4: made.push_back(dropout(a, 0.25) * 0.5); break;
        case 5:
          if (!made.empty()) made[dice() % made.size()].rows(1, 4).copy_(tanh(a.rows(2, 5)));
          break;
        default:
          if (!made.empty()) made[dice() % made.size()].add_(b);
      }
      if (!made.empty()) values.push_back(made.back());
      if (values.size() > 6) values.erase(values.begin() + dice() % 3);
      if (made.size() > 3) made.erase(made.begin());
    }
    return {values.back(), values.front() + made.front()};
  }
  void change() const {
    for (const Tensor& each : inputs_) each.copy_(rand({6, 6}, -1, 1));
  }

 private:
  std::uint32_t seed_;
  std::vector<Tensor> inputs_;
};

TEST_F(GraphCoresTest, RandomGraphsComputeTheSameBits) {
  int shared = 0;
  for (std::uint32_t number = 0; number < 40; ++number) {
    seed(number);
    const RandomSharedStep step(number);
    Captured forked(step);
    core::set_config_value("CORE_FORKS", "0");
    Captured plain(step);
    core::set_config_value("CORE_FORKS", "2");
    for (int i = 0; i < kMeasured + 4; ++i) {
      step.change();
      seed(i);
      const auto expected = plain.run();
      seed(i);
      ASSERT_EQ(forked.run(), expected) << number << ", " << i;
    }
    shared += forked.told().find("threads share") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(shared, 20);
}

TEST_F(GraphCoresTest, ThreadsReplayTheirOwnGraphs) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([i] {
      const Tensor x = full({8, 8}, 0.1 * i, kFloat32);
      const Step step = towers(x);
      const auto expected = plainly(step);
      Captured captured(step);
      for (int k = 0; k < 60; ++k) EXPECT_EQ(captured.run(), expected);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(GraphCoresTest, AForkedChildGoesOn) {
#ifdef LOCI_TSAN
  GTEST_SKIP() << "the sanitizer ends the child of a process with threads that starts one";
#endif
  const Tensor x = rand({8, 8}, -1, 1);
  Captured captured(towers(x));
  share(&captured);
  const auto expected = captured.run();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool same = true;
    for (int i = 0; i < 5; ++i) same = same && captured.run() == expected;
    _exit(same ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// How often operators ran, by name.
std::map<std::string, std::uint64_t> record(Captured* captured, const std::string& tracer) {
  const test::ScratchDirectory scratch;
  const std::string path = scratch.path("runs.profile");
  Profiler profiler(ProfilerOptions().tracer_option(tracer).no_reporter().profile_path(path));
  for (int i = 0; i < 50; ++i) captured->run();
  EXPECT_THAT(profiler.stop(), IsEmpty());
  const profiler::Profile profile(profiler::read_profile(path));
  const loci_profile& told = profile.abi();
  std::map<std::string, std::uint64_t> calls;
  for (std::uint64_t i = 0; i < told.span_count; ++i) {
    const loci_profile_label& label = told.labels[told.spans[i].label];
    if (label.kind == LOCI_SPAN_OP) ++calls[std::string(label.name.data, label.name.size)];
  }
  return calls;
}

TEST_F(GraphCoresTest, AProfileHasTheOperators) {
  const Tensor x = rand({8, 8}, -1, 1);
  Captured shared(towers(x));
  share(&shared);
  core::set_config_value("CORE_FORKS", "0");
  Captured plain(towers(x));
  for (const char* tracer : {"Default", "OpDetail"}) {
    EXPECT_EQ(record(&shared, tracer), record(&plain, tracer)) << tracer;
  }
}

// Temporaries of two tracks may need more memory than what follows itself.
TEST_F(GraphCoresTest, MuchMemoryIsNotTaken) {
  const Tensor x = rand({1 << 20}, -1, 1);
  Captured captured([&] {
    std::vector<Tensor> made{x};
    for (int i = 0; i < 6; ++i) {
      made.push_back(x * static_cast<double>(i));
    }
    Tensor sum = made[0];
    for (const Tensor& each : made) sum = sum + tanh(each);
    return std::vector<Tensor>{sum};
  });
  for (int i = 0; i < kMeasured + 2; ++i) captured.run();
  EXPECT_THAT(captured.told(), Not(HasSubstr("threads share")));
}

// The pool tells what it takes, as long as the graph is there.
TEST_F(GraphCoresTest, MemoryThatIsTakenCountsAsHeld) {
  const Tensor x = rand({8, 8}, -1, 1);
  Captured captured(towers(x));
  captured.run();
  const GraphPool pool = captured.graph.pool();
  const std::uint64_t before = pool.bytes_held();
  share(&captured);
  EXPECT_GT(pool.bytes_held(), before);
  EXPECT_LT(pool.bytes_held(), before + (16 << 10)) << "a few matrices of 256 bytes";
  captured.graph.reset();
  EXPECT_EQ(pool.bytes_held(), before);
}

// Linear in the number of launches.
// Eight times as many take eight times as long, and not 64 times: by what processors do, for other
// programs may have them meanwhile.
TEST_F(GraphCoresTest, ManyLaunchesAreQuick) {
  constexpr int kCount = 50'000;
  constexpr int kFewer = 8;
  const Tensor x = full({4}, 0.001, kFloat32);
  const auto time_of = [&](int count, const std::string& told) {
    Captured captured([&] {
      Tensor left = x;
      Tensor right = x;
      for (int i = 0; i < count; ++i) {
        left = left + x;
        right = right + x;
      }
      return std::vector<Tensor>{left, right};
    });
    const std::clock_t begun = std::clock();
    for (int i = 0; i < kMeasured + 2; ++i) captured.run();
    const std::clock_t time = std::clock() - begun;
    EXPECT_THAT(captured.told(), HasSubstr(told));
    return time;
  };
  const std::clock_t few = time_of(kCount / kFewer, "threads share 12500 launches in 2 pieces");
  EXPECT_LT(time_of(kCount, "threads share 100000 launches in 2 pieces"), 4 * kFewer * few);
}

}  // namespace
}  // namespace loci::capture
