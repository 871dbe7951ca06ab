#include "plugins/sim/worker.h"

#include <atomic>
#include <chrono>
#include <functional>

#include "tests/plugins/sim/sim_rig.h"

namespace loci::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Lambda final : public Work {
 public:
  explicit Lambda(std::function<void()> body, milliseconds duration = {}, bool control = false)
      : body_(std::move(body)), duration_(duration), control_(control) {}
  void run() override { body_(); }
  [[nodiscard]] std::string name() const override { return "lambda"; }
  [[nodiscard]] bool is_control() const override { return control_; }
  [[nodiscard]] std::chrono::nanoseconds duration() const override { return duration_; }

 private:
  std::function<void()> body_;
  milliseconds duration_;
  bool control_;
};

class WorkerTest : public ::testing::Test {
 protected:
  Failures failures_{Settings(), "sim:0"};
  ProfileSource profile_;
  PriorityGate gate_;
  Worker worker_{failures_, profile_, gate_, {}};
};

TEST_F(WorkerTest, RunsInOrderOnAThreadOfItsOwn) {
  std::vector<int> order;
  std::thread::id thread;
  for (int i = 0; i < 3; ++i) {
    worker_.enqueue(std::make_unique<Lambda>([&, i] {
      order.push_back(i);
      thread = std::this_thread::get_id();
    }));
  }
  worker_.wait();
  EXPECT_THAT(order, ElementsAre(0, 1, 2));
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST_F(WorkerTest, ARunningTaskIsNotDone) {
  EXPECT_TRUE(worker_.idle());
  Gate gate;
  std::promise<void> running;
  worker_.enqueue(std::make_unique<Lambda>([&] { running.set_value(); }));
  worker_.enqueue(gate.work());
  running.get_future().wait();
  EXPECT_FALSE(worker_.idle());
  gate.open();
  worker_.wait();
  EXPECT_TRUE(worker_.idle());
}

TEST_F(WorkerTest, EndsWhatWasEnqueued) {
  std::atomic<int> ran{0};
  {
    Worker worker(failures_, profile_, gate_, {});
    for (int i = 0; i < 10; ++i) worker.enqueue(std::make_unique<Lambda>([&] { ++ran; }));
  }
  EXPECT_EQ(ran, 10);
}

TEST_F(WorkerTest, ErrorsAreKeptAndTheNextTaskRuns) {
  bool ran = false;
  worker_.enqueue(std::make_unique<Lambda>([] { throw sdk::Error(LOCI_CODE_FAILED, "broken"); }));
  worker_.enqueue(std::make_unique<Lambda>([&] { ran = true; }));
  worker_.wait();
  EXPECT_TRUE(ran);
  EXPECT_THAT(error_of(LOCI_CODE_FAILED,
                       [&] {
                         std::uint64_t correlation = 0;
                         failures_.rethrow(correlation);
                       }),
              HasSubstr("lambda: broken"));
}

TEST_F(WorkerTest, OnALostDeviceOnlyControlRuns) {
  failures_.faults().lose = 1;
  std::atomic<int> tasks{0};
  std::atomic<int> controls{0};
  for (int i = 0; i < 2; ++i) {
    worker_.enqueue(std::make_unique<Lambda>([&] { ++tasks; }));
    worker_.enqueue(std::make_unique<Lambda>([&] { ++controls; }, milliseconds(), true));
  }
  worker_.wait();
  EXPECT_EQ(tasks, 0);
  EXPECT_EQ(controls, 2);
}

TEST_F(WorkerTest, ATaskTakesAtLeastItsDuration) {
  const auto start = steady_clock::now();
  for (int i = 0; i < 2; ++i) worker_.enqueue(std::make_unique<Lambda>([] {}, milliseconds(20)));
  worker_.wait();
  EXPECT_GE(steady_clock::now() - start, milliseconds(40));
}

// When each of some tasks began, with delays of up to 10 ms.
std::vector<steady_clock::duration> delays(std::uint64_t seed) {
  Failures failures{Settings(), "sim:0"};
  ProfileSource profile;
  PriorityGate gate;
  WorkerOptions options;
  options.longest_delay = milliseconds(10);
  options.seed = seed;
  Worker worker(failures, profile, gate, options);
  std::vector<steady_clock::duration> gaps;
  auto last = steady_clock::now();
  for (int i = 0; i < 8; ++i) {
    worker.enqueue(std::make_unique<Lambda>([&] {
      const auto now = steady_clock::now();
      gaps.push_back(now - last);
      last = now;
    }));
  }
  worker.wait();
  return gaps;
}

void keep_shortest(std::vector<steady_clock::duration>& least,
                   const std::vector<steady_clock::duration>& more) {
  for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], more[i]);
}

bool are_close(const std::vector<steady_clock::duration>& a,
               const std::vector<steady_clock::duration>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](auto one, auto other) {
    return std::chrono::abs(one - other) < milliseconds(3);
  });
}

TEST(WorkerDelayTest, DelaysAreRandomAndTheSameForASeed) {
  // A sleep may last longer than asked for, never less: the shortest of some is close to it, of as
  // many as a busy machine needs.
  auto first = delays(1);
  auto same = delays(1);
  for (int i = 0; i < 200 && !are_close(first, same); ++i) {
    keep_shortest(first, delays(1));
    keep_shortest(same, delays(1));
  }
  EXPECT_TRUE(are_close(first, same));
  const auto [least, most] = std::minmax_element(first.begin(), first.end());
  EXPECT_GT(*most - *least, milliseconds(3));
}

}  // namespace
}  // namespace loci::sim
