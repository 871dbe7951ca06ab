// Several runtimes in one process, each with its own plugins, devices, memory and records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <loci/loci.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/contexts/own_context.h"
#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

using test::in_new_context;
using test::kCpuAndSim;
using test::use_plugins;

constexpr unsigned kSecondsUntilHung = 120;

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

// Objects that outlive their context can still end.
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
