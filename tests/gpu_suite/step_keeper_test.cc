// Steps of the suite that was built, and what becomes of them where it is killed.
#include "tests/gpu_suite/step_keeper.h"

#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include "tests/support/paths.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/subprocess.h"

namespace loci::gpu_suite {
namespace {

using ::testing::HasSubstr;

std::string suite_program() { return test::build_path("bin/gpu-suite"); }

// A step of this process's.
test::Finished kept(const std::string& script, pid_t suite = ::getpid()) {
  return test::run_process(
      {suite_program(), "--keep-for", std::to_string(suite), "/bin/sh", "-c", script});
}

TEST(StepKeeperTest, EndsAsTheStepDoes) {
  const test::Finished finished = kept("echo told; echo warned >&2; exit 7");
  EXPECT_EQ(finished.exit_code, 7);
  EXPECT_EQ(finished.out, "told\n");
  EXPECT_EQ(finished.err, "warned\n");
  EXPECT_EQ(kept("kill -SEGV $$").exit_code, 128 + SIGSEGV);
}

TEST(StepKeeperTest, AProgramThatIsNotThereIsNamed) {
  const test::Finished finished = test::run_process(
      {suite_program(), "--keep-for", std::to_string(::getpid()), "/absent/program"});
  EXPECT_EQ(finished.exit_code, 127);
  EXPECT_THAT(finished.err, HasSubstr("/absent/program: No such file or directory"));
}

TEST(StepKeeperTest, ASuiteThatHasEndedGetsNoStepRun) {
  EXPECT_EQ(kept("echo told", /*suite=*/1).out, "");
}

struct Process {
  pid_t parent = 0;
  std::string name;
};

// Those that run, zombies left out.
std::map<pid_t, Process> processes() {
  std::map<pid_t, Process> found;
  DIR* all = ::opendir("/proc");
  while (const dirent* entry = ::readdir(all)) {
    std::ifstream file("/proc/" + std::string(entry->d_name) + "/stat");
    std::string text;
    if (!std::getline(file, text)) continue;
    const std::size_t open = text.find('(');
    const std::size_t close = text.rfind(')');
    if (close == std::string::npos || text[close + 2] == 'Z') continue;
    found[std::atoi(text.c_str())] = {std::atoi(text.c_str() + close + 4),
                                      text.substr(open + 1, close - open - 1)};
  }
  ::closedir(all);
  return found;
}

std::set<pid_t> steps_of(pid_t suite, const std::string& name) {
  const auto all = processes();
  std::set<pid_t> steps;
  for (const auto& [id, process] : all) {
    const auto keeper = all.find(process.parent);
    if (process.name == name && keeper != all.end() && keeper->second.parent == suite) {
      steps.insert(id);
    }
  }
  return steps;
}

bool comes_to_be(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return condition();
}

pid_t start(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t started = 0;
  EXPECT_EQ(::posix_spawn(&started, arguments[0], nullptr, nullptr, arguments.data(), environ), 0);
  return started;
}

// Kills what two steps of that name are of, and sees that they end.
void expect_to_end_with(pid_t suite, const std::string& name) {
  std::set<pid_t> steps;
  EXPECT_TRUE(comes_to_be([&] {
    steps = steps_of(suite, name);
    return steps.size() == 2;
  }));
  ::kill(suite, SIGKILL);
  ::waitpid(suite, nullptr, 0);
  EXPECT_TRUE(comes_to_be([&] {
    const auto all = processes();
    std::erase_if(steps, [&](pid_t step) { return all.count(step) == 0; });
    return steps.empty();
  }));
  for (const pid_t step : steps) ::kill(step, SIGKILL);
}

TEST(StepKeeperTest, StepsEndWithWhatIsKilled) {
  const std::string keep = suite_program() + " --keep-for $$ /bin/sleep ";
  expect_to_end_with(start({"/bin/sh", "-c", keep + "600 & " + keep + "601 & wait"}), "sleep");
}

// Whose steps are kept: each is a child of a child.
TEST(StepKeeperTest, StepsEndWithTheSuite) {
  const test::ScratchDirectory scratch;
  expect_to_end_with(start({suite_program(), "--emulated", "--jobs", "2", "--output",
                            scratch.path("out"), "--only", "^conformance.(fused_)?conv2d$"}),
                     "conformance");
}

}  // namespace
}  // namespace loci::gpu_suite
