#include "tools/loci/plugin_calls.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <loci/plugins.hpp>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "tools/loci/plugin_frame.h"
#include "tools/loci/thread_calls.h"

namespace loci::runner {
namespace {

constexpr std::size_t kMostTold = 3;  // a line each

// Async-signal-safe, as all below that a handler calls.
void write_text(const char* text) {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t count = ::write(STDERR_FILENO, text, left);
    if (count <= 0) return;
    text += count;
    left -= static_cast<std::size_t>(count);
  }
}

void write_line(const char* what, const char* when, const PluginCall& call, const char* remedy) {
  if (!call) return;
  for (const char* part : {"loci: ", what, when, "[plugin] ", call.plugin, " was in its ",
                           call.function, remedy, "\n"}) {
    write_text(part);
  }
}

// The longest come first.
void write_interrupted(const char* signal) {
  ThreadCalls calls;
  read_calls(&calls);
  for (std::size_t i = 0; i < std::min(calls.count, kMostTold); ++i) {
    write_line(signal, ": interrupted while ", calls.calls[i], "");
  }
  if (calls.count <= kMostTold) return;
  std::array<char, 24> digits{};
  std::to_chars(digits.data(), digits.data() + digits.size() - 1, calls.count - kMostTold);
  const char* number = digits.data();
  for (const char* part : {"loci: ", signal, ": and ", number, " more threads were in plugins\n"}) {
    write_text(part);
  }
}

const char* name_of(int signal) {
  switch (signal) {
    case SIGSEGV: return "SIGSEGV";
    case SIGABRT: return "SIGABRT";
    case SIGBUS: return "SIGBUS";
    case SIGILL: return "SIGILL";
    case SIGFPE: return "SIGFPE";
    case SIGINT: return "SIGINT";
    case SIGTERM: return "SIGTERM";
    default: return "a signal";
  }
}

constexpr const char* kAuthorRemedy =
    "; report it to the plugin's author, or leave the plugin out with --no-plugin";

// A kernel is called without a note, which would cost too much.
void write_own_code(const char* signal) {
  const std::string_view file = find_plugin_frame();
  if (file.empty()) return;
  for (const char* part : {"loci: ", signal, ": this process ends, and [plugin] ", file.data(),
                           " was in a kernel, or in code of its own", kAuthorRemedy, "\n"}) {
    write_text(part);
  }
}

// The handler is gone when it is called: the signal, raised again, does what it always does.
void tell_of_end(int signal) {
  const int error = errno;
  const bool is_sent = signal == SIGINT || signal == SIGTERM;
  if (is_sent) {
    write_interrupted(name_of(signal));
  } else {
    const PluginCall call = call_of_this_thread();
    write_line(name_of(signal), ": this process ends, and ", call, kAuthorRemedy);
    if (!call) write_own_code(name_of(signal));
  }
  errno = error;
  ::raise(signal);
}

constexpr std::array kSignals{SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGINT, SIGTERM};

// Also for a stack that has no room left.
void use_stack_of_its_own() {
  static std::array<char, 64 * 1024> memory;
  stack_t stack{};
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  ::sigaltstack(&stack, nullptr);
}

void install(int signal) {
  struct sigaction present {};
  if (::sigaction(signal, nullptr, &present) != 0) return;
  if ((present.sa_flags & SA_SIGINFO) != 0 || present.sa_handler != SIG_DFL) return;
  struct sigaction ours {};
  ours.sa_handler = tell_of_end;
  ours.sa_flags = static_cast<int>(SA_RESETHAND) | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  ::sigaction(signal, &ours, nullptr);
}

void remove(int signal) {
  struct sigaction present {};
  if (::sigaction(signal, nullptr, &present) != 0 || present.sa_handler != tell_of_end) return;
  struct sigaction none {};
  none.sa_handler = SIG_DFL;
  ::sigaction(signal, &none, nullptr);
}

}  // namespace

// Looks several times while patience lasts whether a call is still the one of before.
class PluginCalls::Watchdog {
 public:
  explicit Watchdog(Patience patience) : patience_(patience), thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      stops_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, patience_ / 10, [this] { return stops_; })) look();
  }

  void look() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    std::set<std::uint64_t> told;  // of those that are still under way
    read_calls(&calls_);
    for (std::size_t i = 0; i < calls_.count; ++i) {
      const PluginCall& call = calls_.calls[i];
      if (now - std::chrono::nanoseconds(call.since) < patience_) continue;
      if (told_.count(call.number) == 0) tell(call);
      told.insert(call.number);
    }
    told_ = std::move(told);
  }

  static void tell(const PluginCall& call) {
    write_line("still waiting: ", "", call,
               " all this time, and has not come back; see whether its device or driver hangs, "
               "or leave the plugin out with --no-plugin");
  }

  const Patience patience_;
  ThreadCalls calls_;
  std::set<std::uint64_t> told_;  // numbers of calls
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stops_ = false;
  std::thread thread_;
};

PluginCalls::PluginCalls(Patience patience) : watchdog_(std::make_unique<Watchdog>(patience)) {
  use_stack_of_its_own();
  prepare_plugin_frame();
  for (const int signal : kSignals) install(signal);
  plugins::watch_calls(note_call);
}

PluginCalls::~PluginCalls() {
  plugins::watch_calls(nullptr);
  for (const int signal : kSignals) remove(signal);
}

}  // namespace loci::runner
