// Several runtimes in one process, each with its own plugins, devices, memory and records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <loci/loci.hpp>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/paths.h"
#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

constexpr unsigned kSecondsUntilHung = 120;

void use_plugins(const std::vector<std::string>& files, const std::string& sim = "") {
  config::set("SIM", sim);
  plugins::SearchOptions options;
  for (const std::string& file : files) {
    options.files.push_back(test::build_path("lib/loci/" + file));
  }
  plugins::configure(options);
  // The options of an instance are read as it is made.
  plugins::report(/*activate=*/true);
}

const std::vector<std::string> kCpuAndSim{"plugins/loci-cpu.so", "plugins/loci-sim.so"};

// Runs in a context of its own.
void in_new_context(const std::function<void()>& body) {
  const Context context;
  const ContextGuard guard(context);
  body();
}

std::vector<float> train(const Place& place, int steps) {
  const Program main;
  const Program startup;
  const ProgramGuard building(main, startup);
  const Variable x = data("x", {8, 16}, kFloat32);
  const Variable y = softmax(layers::fc(relu(layers::fc(x, 16)), 4));
  const Variable loss = mean(square(y));
  optimizer::SGD(0.1).minimize(loss);
  Executor executor(place, {}, Scope());
  executor.run(startup, {}, {});
  std::vector<float> losses;
  for (int i = 0; i < steps; ++i) {
    const Tensor given = full({8, 16}, 0.01 * (i + 1));
    losses.push_back(executor.run(main, {{"x", given}}, {loss})[0].to_vector<float>()[0]);
  }
  return losses;
}

Tensor chain_at(const Place& place, int length) {
  Tensor x = full({64}, 1.0, kFloat32, place);
  for (int i = 0; i < length; ++i) x = x + 1.0;
  return x;
}

std::uint64_t resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::stoull(line.substr(6));
  }
  return 0;
}

TEST(ContextsTest, TheSameProgramHasTheSameBitsInTwoAtOnce) {
  std::vector<float> expected;
  in_new_context([&] {
    use_plugins(kCpuAndSim, "devices=1");
    expected = train("sim:0", 5);
  });
  const Context contexts[2];
  {
    const ContextGuard guard(contexts[0]);
    use_plugins(kCpuAndSim, "devices=1");
    EXPECT_EQ(device_count("sim"), 1);
  }
  {
    const ContextGuard guard(contexts[1]);
    use_plugins(kCpuAndSim, "devices=3,delay_us=50,seed=7");
    EXPECT_EQ(device_count("sim"), 3);
  }
  std::vector<float> losses[2];
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      const ContextGuard guard(contexts[i]);
      losses[i] = train(i == 0 ? "sim:0" : "sim:2", 5);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(losses[0], expected);
  EXPECT_EQ(losses[1], expected);
}

TEST(ContextsTest, EachHasItsPlugins) {
  in_new_context([] {
    plugins::SearchOptions options;
    options.disabled_ids = {"org.loci.sim"};
    plugins::configure(options);
    EXPECT_EQ(device_count("sim"), 0);
    const Context inner;
    const ContextGuard guard(inner);
    use_plugins(kCpuAndSim, "devices=2");
    EXPECT_EQ(device_count("sim"), 2);
  });
}

TEST(ContextsTest, APluginIsMadeOnceInEach) {
  std::vector<std::uint32_t> numbers;
  for (int i = 0; i < 3; ++i) {
    in_new_context([&] {
      use_plugins({"test_plugins/loci-test_minimal.so"});
      EXPECT_EQ(device_properties("minimal").compute_units,
                device_properties("minimal").compute_units);
      numbers.push_back(device_properties("minimal").compute_units);
    });
  }
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST(ContextsTest, LedgersSeedsAndMemoryAreApart) {
  const Context a;
  const Context b;
  std::vector<float> drawn;
  std::size_t transfers = 0;
  {
    const ContextGuard guard(a);
    use_plugins(kCpuAndSim);
    seed(11);
    drawn = rand({4}).to_vector<float>();
    const Tensor held = full({1024}, 1.0, kFloat32, "sim:0");
    (void)held.to_vector<float>();
    transfers = inspect::transfers().size();
    EXPECT_GE(transfers, 1U);
    EXPECT_GE(memory_use("sim:0").in_use, 4096U);
    EXPECT_GE(memory_use("sim:0").peak_in_use, 4096U);

    const ContextGuard within(b);
    use_plugins(kCpuAndSim);
    EXPECT_THAT(inspect::transfers(), IsEmpty());
    EXPECT_EQ(memory_use("sim:0").peak_in_use, 0U);
    EXPECT_EQ(memory_use("cpu").peak_in_use, 0U);
    EXPECT_FALSE(global_scope().has("w"));
    global_scope().set("w", full({2}, 1.0));
    seed(11);
    EXPECT_EQ(rand({4}).to_vector<float>(), drawn);
  }
  const ContextGuard guard(a);
  EXPECT_THAT(inspect::transfers(), SizeIs(transfers));
  EXPECT_FALSE(global_scope().has("w"));
  // b's draws have not moved a's.
  seed(11);
  EXPECT_EQ(rand({4}).to_vector<float>(), drawn);
}

TEST(ContextsTest, ProfilerSessionsRunAtTheSameTime) {
  const test::ScratchDirectory scratch;
  std::atomic<int> begun{0};
  const auto record = [&](const std::string& name, int count) {
    Profiler profiler(ProfilerOptions().reporter("json=" + scratch.path(name)));
    ++begun;
    while (begun < 2) std::this_thread::yield();
    for (int i = 0; i < count; ++i) const ProfileRange range(name.c_str());
    EXPECT_THAT([] { const Profiler second(ProfilerOptions().no_reporter()); },
                ThrowsMessage<Error>(HasSubstr("a session runs already; stop it before")));
    EXPECT_THAT(profiler.stop(), IsEmpty());
  };
  const Context contexts[2];
  for (const Context& context : contexts) {
    const ContextGuard guard(context);
    use_plugins({"plugins/loci-cpu.so", "plugins/loci-reporter_json.so"});
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      const ContextGuard guard(contexts[i]);
      record("session_" + std::to_string(i), 100 + i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(scratch.read("session_0"), HasSubstr(R"("calls":100)"));
  EXPECT_THAT(scratch.read("session_1"), HasSubstr(R"("calls":101)"));
  EXPECT_THAT(scratch.read("session_0"), Not(HasSubstr("session_1")));
}

TEST(ContextsTest, TheEndWaitsForQueuedWork) {
  std::atomic<bool> is_over{false};
  std::thread([&] {
    in_new_context([&] {
      use_plugins(kCpuAndSim, "delay_us=2000");
      (void)chain_at("sim:0", 200);
      (void)chain_at("cpu", 200);
    });
    is_over = true;
  }).join();
  EXPECT_TRUE(is_over);
}

TEST(ContextsTest, ManyLeaveNoMemoryBehind) {
  const auto use_one = [] {
    in_new_context([] {
      use_plugins(kCpuAndSim, "devices=1,memory=16777216");
      (void)train("sim:0", 1);
      (void)chain_at("sim:0", 8);
      (void)chain_at("cpu", 8);
    });
  };
  for (int i = 0; i < 20; ++i) use_one();
  const std::uint64_t before = resident_kib();
  for (int i = 0; i < 200; ++i) use_one();
  // An instance of sim alone holds megabytes.
  EXPECT_LT(resident_kib(), before + 8192);
}

const std::vector<std::string> kWithSwish{"plugins/loci-cpu.so", "plugins/loci-sim.so",
                                          "test_plugins/loci-test_swish.so"};

// Objects of one context, for use in another.
class ForeignTest : public ::testing::Test {
 protected:
  ForeignTest() {
    {
      const ContextGuard guard(home_);
      use_plugins(kWithSwish);
      host_ = full({2}, 1.0);
      host_.set_name("weights");
      at_sim_ = full({2}, 1.0, kFloat32, "sim:0");
    }
    const ContextGuard guard(other_);
    use_plugins(kWithSwish);
  }

  static auto refused(const std::string& what) {
    return ThrowsMessage<Error>(
        AllOf(HasSubstr(what + " belongs to context"), HasSubstr("this thread is in context")));
  }

  const Context home_;
  const Context other_;
  Tensor host_;
  Tensor at_sim_;
};

TEST_F(ForeignTest, TensorsAreRefused) {
  const ContextGuard guard(other_);
  const Tensor own = full({2}, 1.0);
  (void)(own + own);  // known from now on, but not for the other's tensors
  EXPECT_THAT([&] { (void)(own + host_); }, refused("tensor 'weights' float32 [2] at cpu"));
  EXPECT_THAT([&] { (void)(own + host_); },
              ThrowsMessage<Error>(AllOf(HasSubstr("[elementwise_add]"), HasSubstr("ContextGuard"),
                                         HasSubstr("to_vector()"))));
  EXPECT_THAT([&] { (void)relu(at_sim_); }, refused("tensor '' float32 [2] at sim:0"));
  EXPECT_THAT([&] { (void)at_sim_.to_vector<float>(); }, refused("at sim:0"));
  EXPECT_THAT([&] { (void)at_sim_.to("cpu"); }, refused("at sim:0"));
  EXPECT_THAT([&] { (void)host_.to("sim:0"); }, refused("at cpu"));
  EXPECT_THAT([&] { host_.add_(own); }, refused("at cpu"));
  EXPECT_THAT([&] { own.copy_(host_); }, refused("at cpu"));
  EXPECT_THAT([&] { (void)to_dlpack(host_); }, refused("at cpu"));
}

TEST_F(ForeignTest, ValuesGoOver) {
  std::vector<float> values;
  {
    const ContextGuard guard(home_);
    values = (host_ + at_sim_.to("cpu")).to_vector<float>();
  }
  const ContextGuard guard(other_);
  EXPECT_EQ((Tensor::from(values, Shape{2}) + 1.0).to_vector<float>()[0], 3.0F);
}

TEST_F(ForeignTest, GradientsAreRefused) {
  Tensor loss;
  {
    const ContextGuard guard(home_);
    host_.set_requires_grad(true);
    loss = mean(host_ * 2.0);
  }
  const ContextGuard guard(other_);
  EXPECT_THAT([&] { loss.backward(); }, refused("at cpu"));
}

TEST_F(ForeignTest, ScopesExecutorsAndStreamsAreRefused) {
  const ContextGuard outer(home_);
  const Scope scope;
  Executor executor("cpu", CompileOptions(), scope);
  const Stream stream("sim:0");
  Event event;
  event.record(stream);
  const ContextGuard guard(other_);
  const Tensor own = full({2}, 1.0);
  EXPECT_THAT([&] { executor.run(Program(), {}, {}); }, refused("the executor at cpu"));
  EXPECT_THAT([&] { scope.set("w", own); }, refused("the scope"));
  EXPECT_THAT([&] { Scope().set("w", host_); }, refused("at cpu"));
  EXPECT_THAT([&] { const Executor here("cpu", CompileOptions(), scope); }, refused("the scope"));
  EXPECT_THAT([&] { const StreamGuard here(stream); }, refused("a stream of sim:0"));
  EXPECT_THAT([&] { event.wait(Stream("sim:0")); }, refused("a stream of sim:0"));
}

TEST_F(ForeignTest, FeedsAreRefused) {
  const ContextGuard guard(other_);
  const Program main;
  const ProgramGuard building(main);
  const Variable y = data("x", {2}, kFloat32) + 1.0;
  Executor executor("cpu", CompileOptions(), Scope());
  EXPECT_THAT(
      [&] {
        executor.run(main, {{"x", host_}}, {y});
      },
      ThrowsMessage<Error>(HasSubstr("[executor] tensor 'weights' float32 [2] at cpu ")));
}

// What has built-in ops alone belongs to none.
TEST_F(ForeignTest, ProgramsWithOpsOfPluginsAreRefused) {
  const Program plain;
  const Program special;
  Variable sum;
  {
    const ContextGuard guard(home_);
    const ProgramGuard building(plain);
    sum = data("x", {2}, kFloat32) + 1.0;
    const ProgramGuard within(special);
    const Variable x = data("x", {2}, kFloat32);
    (void)OpCall<Variable>("sample.swish").input("x", x).attr("beta", 1.0).result();
  }
  const ContextGuard guard(other_);
  Executor executor("cpu", CompileOptions(), Scope());
  const Tensor fed = full({2}, 1.0);
  EXPECT_EQ(executor.run(plain, {{"x", fed}}, {sum})[0].to_vector<float>()[0], 2.0F);
  EXPECT_THAT(
      [&] {
        executor.run(special, {{"x", fed}}, {});
      },
      ThrowsMessage<Error>(HasSubstr("is an op of the plugin org.example.sample in another "
                                     "context")));
}

// What outlives its context can still end.
TEST(ContextsTest, OneThatEndsBeforeItsTensorsIsKept) {
  std::optional<Tensor> left, empty;
  std::optional<Stream> stream;
  std::optional<Event> event;
  ::testing::internal::CaptureStderr();
  in_new_context([&] {
    use_plugins(kCpuAndSim);
    left = full({1024}, 1.0, kFloat32, "sim:0") + 1.0;
    empty = full({0}, 1.0);
    stream.emplace("sim:0");
    event.emplace();
    event->record(Stream::default_of("sim:0"));
  });
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("ends while 4 tensors, executors, streams or programs of it are there"));
  EXPECT_TRUE(event->done());
  EXPECT_EQ(left->shape().numel(), 1024);
  EXPECT_THAT([&] { (void)left->to_vector<float>(); },
              ThrowsMessage<Error>(HasSubstr("belongs to context")));
  left.reset();
  empty.reset();
  stream.reset();
  event.reset();
}

TEST(ContextsTest, TheChildOfAForkComputesInEach) {
  std::vector<Context> contexts(2);
  for (const Context& context : contexts) {
    const ContextGuard guard(context);
    use_plugins(kCpuAndSim);
    EXPECT_EQ(chain_at("cpu", 3).to_vector<float>()[0], 4.0F);
    EXPECT_EQ(chain_at("sim:0", 3).to_vector<float>()[0], 4.0F);
  }
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsUntilHung);
    int right = 0;
    for (const Context& context : contexts) {
      const ContextGuard guard(context);
      right += chain_at("cpu", 3).to_vector<float>()[0] == 4.0F ? 1 : 0;
      try {
        (void)chain_at("sim:0", 3).to_vector<float>();
      } catch (const Error& error) {
        right += error.code() == ErrorCode::kUnavailable ? 1 : 0;
      }
    }
    contexts.clear();  // which closes none of the parent's devices
    _exit(right);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 4);
  const ContextGuard guard(contexts[1]);
  EXPECT_EQ(chain_at("sim:0", 3).to_vector<float>()[0], 4.0F);
}

}  // namespace
}  // namespace loci
