#include "tools/conformance/verify/process_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

namespace loci::verify {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{2};
constexpr std::chrono::milliseconds kPause{10};

std::size_t entries(const char* directory) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Returns the parent of the process whose folder in /proc it is; 0 if it has gone meanwhile.
long parent_of(const fs::path& process) {
  std::string line;
  std::getline(std::ifstream(process / "stat"), line);
  // Behind the name, which is in parentheses and may have some itself, the state and the parent.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > line.size()) return 0;
  return std::strtol(line.c_str() + name_end + 4, nullptr, 10);
}

std::string difference(const ProcessState& now, const ProcessState& before) {
  std::vector<std::string> surplus;
  const auto add = [&](std::size_t after, std::size_t earlier, const char* one, const char* many) {
    if (after <= earlier) return;
    surplus.push_back(fmt::format("{} {}", after - earlier, after - earlier == 1 ? one : many));
  };
  add(now.threads, before.threads, "thread", "threads");
  add(now.descriptors, before.descriptors, "file descriptor", "file descriptors");
  add(now.children, before.children, "child process", "child processes");
  return fmt::format("{}", fmt::join(surplus, " and "));
}

}  // namespace

std::vector<pid_t> child_processes() {
  const long self = ::getpid();
  std::vector<pid_t> children;
  std::error_code gone;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename();
    if (is_number(name) && parent_of(entry.path()) == self) {
      children.push_back(static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10)));
    }
  }
  return children;
}

ProcessState ProcessState::now() {
  return {entries("/proc/self/task"), entries("/proc/self/fd"), child_processes().size()};
}

std::string ProcessState::wait_for(const ProcessState& before) {
  const Clock::time_point deadline = Clock::now() + kPatience;
  for (;;) {
    std::string left = difference(now(), before);
    if (left.empty() || Clock::now() > deadline) return left;
    std::this_thread::sleep_for(kPause);
  }
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::size_t heap_bytes() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;  // large pieces are mapped on their own
}

}  // namespace loci::verify
