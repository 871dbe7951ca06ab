#include "supervisor.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace loci::cuda_rules {
namespace {

using Names = std::vector<std::string>;

void execute(const Names& arguments, int output) {
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  close(output);
  setenv(kChildVariable, "1", 1);
  std::vector<char*> raw;
  for (const auto& argument : arguments) raw.push_back(const_cast<char*>(argument.c_str()));
  raw.push_back(nullptr);
  execv("/proc/self/exe", raw.data());
  _exit(127);
}

// Runs this program with the arguments and hands over each line that it prints. What waitpid()
// says.
int run_child(const Names& arguments, const std::function<void(const std::string&)>& line_read) {
  int channel[2];
  if (pipe(channel) != 0) return -1;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(channel[0]);
    execute(arguments, channel[1]);
  }
  close(channel[1]);
  std::FILE* output = fdopen(channel[0], "r");
  char* line = nullptr;
  std::size_t room = 0;
  ssize_t length = 0;
  while ((length = getline(&line, &room, output)) > 0) {
    line_read(std::string(line, static_cast<std::size_t>(length)));
  }
  std::free(line);
  std::fclose(output);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

struct Suite {
  std::string name;
  Names tests;  // with the suite's name in front
};

// GoogleTest lists them so: a suite's name with a dot at the line's end, its tests indented below.
std::vector<Suite> list_suites(Names arguments) {
  arguments.push_back("--gtest_list_tests");
  std::vector<Suite> suites;
  run_child(arguments, [&](const std::string& line) {
    const std::string text = line.substr(0, line.find_first_of("#\n"));
    if (text.empty()) return;
    if (text.front() != ' ') {
      if (text.find('.') == text.size() - 1)
        suites.push_back({text.substr(0, text.size() - 1), {}});
    } else if (!suites.empty()) {
      suites.back().tests.push_back(suites.back().name + "." + text.substr(2));
    }
  });
  return suites;
}

std::vector<Names> group(const std::vector<Suite>& suites) {
  std::vector<Names> groups;
  for (const auto& suite : suites) {
    if (suite.name.ends_with("Fresh")) {
      for (const auto& test : suite.tests) groups.push_back({test});
    } else {
      groups.push_back(suite.tests);
    }
  }
  return groups;
}

struct Outcome {
  Names passed;
  Names failed;
  Names skipped;
  Names lost;  // ended their process
};

// The test's name behind the mark, or nothing.
std::string named_after(const std::string& line, const std::string& mark) {
  if (!line.starts_with(mark)) return "";
  const auto end = line.find_first_of(" \n,", mark.size());
  return line.substr(mark.size(), end - mark.size());
}

void remove(Names& names, const std::string& name) { std::erase(names, name); }

class GroupRun {
 public:
  GroupRun(const Names& tests, Outcome& outcome) : waiting_(tests), outcome_(outcome) {}

  // Until each test was run or lost.
  void run() {
    while (!waiting_.empty()) {
      const auto before = waiting_.size();
      const int status = run_child(arguments(), [this](const std::string& line) { read(line); });
      if (!running_.empty()) lose(status);
      if (waiting_.size() == before) lose_all(status);
    }
  }

 private:
  Names arguments() const {
    std::string filter;
    for (const auto& test : waiting_) filter += (filter.empty() ? "" : ":") + test;
    return {"cuda_rules_test", "--gtest_filter=" + filter, "--gtest_color=no"};
  }

  void read(const std::string& line) {
    if (const auto started = named_after(line, "[ RUN      ] "); !started.empty()) {
      running_ = started;
      return;
    }
    if (finish(line, "[       OK ] ", outcome_.passed)) return;
    if (finish(line, "[  FAILED  ] ", outcome_.failed) ||
        finish(line, "[  SKIPPED ] ", outcome_.skipped)) {
      std::fputs(line.c_str(), stdout);
      return;
    }
    const bool of_the_framework = line.starts_with("[=====") || line.starts_with("[-----") ||
                                  line.starts_with("Note: Google Test") ||
                                  line.starts_with("Running main") ||
                                  (running_.empty() && !line.starts_with("[rule]"));
    if (!of_the_framework) std::fputs(line.c_str(), stdout);
  }

  bool finish(const std::string& line, const std::string& mark, Names& kind) {
    const auto test = named_after(line, mark);
    if (test.empty() || test != running_) return false;
    kind.push_back(test);
    remove(waiting_, test);
    running_.clear();
    return true;
  }

  void lose(int status) {
    std::printf("[  LOST    ] %s: the process ended with status %d%s\n", running_.c_str(),
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                WIFSIGNALED(status) ? " by signal" : "");
    outcome_.lost.push_back(running_);
    remove(waiting_, running_);
    running_.clear();
  }

  void lose_all(int status) {
    std::printf("[  LOST    ] %zu tests that did not begin; status %d\n", waiting_.size(), status);
    outcome_.lost.insert(outcome_.lost.end(), waiting_.begin(), waiting_.end());
    waiting_.clear();
  }

  Names waiting_;
  std::string running_;
  Outcome& outcome_;
};

void print(const char* what, const Names& names) {
  for (const auto& name : names) std::printf("%s: %s\n", what, name.c_str());
}

}  // namespace

int supervise(const std::vector<std::string>& arguments) {
  const auto start = std::chrono::steady_clock::now();
  Outcome outcome;
  for (const auto& tests : group(list_suites(arguments))) GroupRun(tests, outcome).run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print("failed", outcome.failed);
  print("lost", outcome.lost);
  std::printf("%zu passed, %zu failed, %zu lost, %zu skipped in %.1f s\n", outcome.passed.size(),
              outcome.failed.size(), outcome.lost.size(), outcome.skipped.size(), took.count());
  const bool some = !outcome.passed.empty() || !outcome.skipped.empty();
  return some && outcome.failed.empty() && outcome.lost.empty() ? 0 : 1;
}

}  // namespace loci::cuda_rules
