#include "tools/loci/plugin_calls.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <loci/plugins.hpp>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>

namespace loci::runner {
namespace {

// Read by handlers of signals: texts that are never freed, both null between calls.
struct Call {
  std::atomic<const char*> plugin{nullptr};
  std::atomic<const char*> function{nullptr};
};
static_assert(std::atomic<const char*>::is_always_lock_free);

thread_local Call call_of_thread;
Call latest_call;                           // of any thread
std::atomic<std::uint64_t> call_number{0};  // of what latest_call says

const char* kept(std::string_view text) {
  static auto& mutex = *new std::mutex();
  static auto& texts = *new std::set<std::string, std::less<>>();
  const std::lock_guard lock(mutex);
  const auto found = texts.find(text);
  return (found == texts.end() ? texts.emplace(text).first : found)->c_str();
}

void set(Call& call, const char* plugin, const char* function) {
  call.function.store(nullptr);
  call.plugin.store(plugin);
  call.function.store(function);
}

void note_call(std::string_view plugin, std::string_view function) {
  const bool has_ended = plugin.empty();
  const char* id = has_ended ? nullptr : kept(plugin);
  const char* name = has_ended ? nullptr : kept(function);
  set(call_of_thread, id, name);
  set(latest_call, id, name);
  ++call_number;
}

// Async-signal-safe, as all below that a handler calls.
void write_text(const char* text) {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t count = ::write(STDERR_FILENO, text, left);
    if (count <= 0) return;
    text += count;
    left -= static_cast<std::size_t>(count);
  }
}

void write_line(const char* what, const char* when, const Call& call, const char* remedy) {
  const char* plugin = call.plugin.load();
  const char* function = call.function.load();
  if (plugin == nullptr || function == nullptr) return;
  for (const char* part :
       {"loci: ", what, when, "[plugin] ", plugin, " was in its ", function, remedy, "\n"}) {
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

// The handler is gone when it is called: the signal, raised again, does what it always does.
void tell_of_end(int signal) {
  const int error = errno;
  const bool is_sent = signal == SIGINT || signal == SIGTERM;
  if (is_sent) {
    write_line(name_of(signal), ": interrupted while ", latest_call, "");
  } else {
    write_line(name_of(signal), ": this process ends, and ", call_of_thread,
               "; report it to the plugin's author, or leave the plugin out with --no-plugin");
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

// Looks once a second whether the latest call is still the one of before.
class PluginCalls::Watchdog {
 public:
  Watchdog() : thread_([this] { watch(); }) {}
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
    std::uint64_t seen = call_number.load();
    int seconds = 0;
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return stops_; })) {
      const std::uint64_t now = call_number.load();
      seconds = now == seen ? seconds + 1 : 0;
      seen = now;
      if (seconds != kPatienceSeconds) continue;
      write_line("still waiting: ", "", latest_call,
                 " all this time, and has not come back; see whether its device or driver hangs, "
                 "or leave the plugin out with --no-plugin");
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stops_ = false;
  std::thread thread_;
};

PluginCalls::PluginCalls() : watchdog_(std::make_unique<Watchdog>()) {
  use_stack_of_its_own();
  for (const int signal : kSignals) install(signal);
  plugins::watch_calls(note_call);
}

PluginCalls::~PluginCalls() {
  plugins::watch_calls(nullptr);
  for (const int signal : kSignals) remove(signal);
}

}  // namespace loci::runner
