#include "tools/conformance/verify/process_state.h"

#include <fmt/format.h>
#include <malloc.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

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

std::string surplus(std::size_t now, std::size_t before, const char* what) {
  if (now <= before) return {};
  return fmt::format("{} {}{}", now - before, what, now - before == 1 ? "" : "s");
}

std::string difference(const ProcessState& now, const ProcessState& before) {
  std::string text = surplus(now.threads, before.threads, "thread");
  const std::string files = surplus(now.descriptors, before.descriptors, "file descriptor");
  if (!text.empty() && !files.empty()) text += " and ";
  return text + files;
}

}  // namespace

ProcessState ProcessState::now() { return {entries("/proc/self/task"), entries("/proc/self/fd")}; }

std::string ProcessState::wait_for(const ProcessState& before) {
  const Clock::time_point deadline = Clock::now() + kPatience;
  for (;;) {
    std::string left = difference(now(), before);
    if (left.empty() || Clock::now() > deadline) return left;
    std::this_thread::sleep_for(kPause);
  }
}

std::size_t heap_bytes() { return ::mallinfo2().uordblks; }

}  // namespace loci::verify
