#include "tests/soak/stacks.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace loci::soak {
namespace {

constexpr int kMostFrames = 40;
constexpr std::chrono::milliseconds kPatience{500};

std::array<void*, kMostFrames> frames;
std::atomic<int> found{-1};  // frames; below 0 until the thread has answered

int ask_signal() { return SIGRTMIN + 4; }

void answer(int) { found.store(::backtrace(frames.data(), kMostFrames)); }

// Returns true if the thread has answered.
bool ask(pid_t thread) {
  found.store(-1);
  if (::tgkill(::getpid(), thread, ask_signal()) != 0) return false;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (found.load() < 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return found.load() >= 0;
}

std::string name_of(pid_t thread) {
  std::ifstream file(fmt::format("/proc/self/task/{}/comm", thread));
  std::string name;
  std::getline(file, name);
  return name;
}

struct Stack {
  pid_t thread;
  std::vector<void*> frames;  // empty: it has not answered
};

std::vector<Stack> ask_all() {
  std::vector<Stack> stacks;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const auto thread = static_cast<pid_t>(std::stol(entry.path().filename().string()));
    if (thread == ::gettid()) continue;
    Stack stack{thread, {}};
    if (ask(thread)) stack.frames.assign(frames.begin(), frames.begin() + found.load());
    stacks.push_back(std::move(stack));
  }
  return stacks;
}

using Names = std::map<void*, std::string>;

// Finds the names of one file by binutils; the addresses alone where there is none.
void find_names(const std::string& file, const std::vector<std::pair<void*, std::uint64_t>>& places,
                Names* names) {
  std::string command = fmt::format("addr2line -Cfe '{}'", file);
  for (const auto& [frame, offset] : places) command += fmt::format(" {:#x}", offset);
  command += " 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(::popen(command.c_str(), "r"),
                                                               &::pclose);
  std::array<char, 4096> line{};
  for (const auto& [frame, offset] : places) {
    std::string name;
    if (output != nullptr && std::fgets(line.data(), line.size(), output.get()) != nullptr) {
      name = line.data();
      (void)std::fgets(line.data(), line.size(), output.get());  // the file and the line
    }
    while (!name.empty() && name.back() == '\n') name.pop_back();
    (*names)[frame] =
        fmt::format("{} ({}+{:#x})", name, std::filesystem::path(file).filename().string(), offset);
  }
}

Names names_of(const std::vector<Stack>& stacks) {
  std::map<std::string, std::vector<std::pair<void*, std::uint64_t>>> by_file;
  for (const Stack& stack : stacks) {
    for (void* frame : stack.frames) {
      Dl_info info{};
      if (::dladdr(frame, &info) == 0 || info.dli_fname == nullptr) continue;
      by_file[info.dli_fname].emplace_back(
          frame, reinterpret_cast<std::uint64_t>(frame) -
                     reinterpret_cast<std::uint64_t>(info.dli_fbase) - 1);  // within the call
    }
  }
  Names names;
  for (const auto& [file, places] : by_file) find_names(file, places, &names);
  return names;
}

}  // namespace

std::string stacks_of_threads() {
  struct sigaction action {};
  action.sa_handler = &answer;
  action.sa_flags = SA_RESTART;
  ::sigaction(ask_signal(), &action, nullptr);
  (void)::backtrace(frames.data(), 1);  // loads what it needs, which no signal's handler may
  const std::vector<Stack> stacks = ask_all();
  const Names names = names_of(stacks);
  std::string text;
  for (const Stack& stack : stacks) {
    text += fmt::format("thread {} '{}'{}\n", stack.thread, name_of(stack.thread),
                        stack.frames.empty() ? ": does not answer" : "");
    for (void* frame : stack.frames) {
      const auto name = names.find(frame);
      text += fmt::format("  {}\n", name == names.end() ? fmt::format("{}", frame) : name->second);
    }
  }
  return text;
}

}  // namespace loci::soak
