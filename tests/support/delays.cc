#include "tests/support/delays.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <random>
#include <vector>

#include "framework/core/sanitizer.h"

namespace loci::test {
namespace {

constexpr std::uint64_t kLongestPauseNs = 100'000;
// Until a thread is stopped where it is again, on average: several times what it stops for, so that
// it comes forward.
constexpr std::chrono::microseconds kBetween{1'500};
// One in so many of the places where a thread waits or wakes stops it.
constexpr std::uint64_t kPlacesEach = 8;
// One in so many places behind which a thread looks at shared data has it take so many steps alone,
// an instruction each, of which one in so many stops it.
constexpr std::uint64_t kPlacesStepped = 3;
constexpr int kSteps = 80;
constexpr std::uint64_t kStepsEach = 30;
constexpr greg_t kTrapFlag = 0x100;
// How often the list of threads is read again.
constexpr int kInterruptsEach = 64;

constinit std::atomic<bool> is_on{false};
constinit std::atomic<std::uint64_t> next_seed{1};

// A thread's own numbers, also within a signal's handler.
std::uint64_t draw() noexcept {
  constinit thread_local std::uint64_t state = 0;
  if (state == 0) state = next_seed.fetch_add(0x9e3779b97f4a7c15, std::memory_order_relaxed) | 1;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

void pause_a_while() noexcept {
  const int error = errno;
  const timespec time{0, static_cast<long>(draw() % kLongestPauseNs)};
  nanosleep(&time, nullptr);
  errno = error;
}

int stop_signal() noexcept { return SIGRTMIN + 3; }

constinit thread_local int steps_left = 0;

greg_t& flags_of(void* context) noexcept {
  return static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL];
}

// Returns true if the next instruction calls the system, which might hold signals back: a step that
// nobody may be told of ends the process.
bool calls_system(void* context) noexcept {
  const greg_t next = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  const auto* bytes = reinterpret_cast<const unsigned char*>(next);
  return bytes[0] == 0x0f && bytes[1] == 0x05;
}

// The thread executes its next instructions one at a time.
void begin_steps(int, siginfo_t*, void* context) noexcept {
  pause_a_while();
  if (calls_system(context)) return;
  steps_left = kSteps;
  flags_of(context) |= kTrapFlag;
}

void end_step(int, siginfo_t*, void* context) noexcept {
  if (--steps_left <= 0 || calls_system(context)) flags_of(context) &= ~kTrapFlag;
  if (draw() % kStepsEach == 0) pause_a_while();
}

void install(int signal, void (*handler)(int, siginfo_t*, void*)) noexcept {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, stop_signal());
  ::sigaction(signal, &action, nullptr);
}

std::vector<pid_t> other_threads() {
  std::vector<pid_t> threads;
  DIR* const directory = ::opendir("/proc/self/task");
  if (directory == nullptr) return threads;
  while (const dirent* entry = ::readdir(directory)) {
    const auto thread = static_cast<pid_t>(std::atoi(entry->d_name));
    if (thread != 0 && thread != ::gettid()) threads.push_back(thread);
  }
  ::closedir(directory);
  return threads;
}

}  // namespace

#ifdef LOCI_TSAN

Delays::Delays(std::uint64_t /*seed*/) {}
Delays::~Delays() = default;

#else

Delays::Delays(std::uint64_t seed) {
  next_seed.store(seed, std::memory_order_relaxed);
  // They stay installed: signals may be under way when the delays end. Calls of the system that
  // they interrupt go on, so that nobody is woken by them.
  install(stop_signal(), &begin_steps);
  install(SIGTRAP, &end_step);
  is_on.store(true);
  thread_ = std::thread([this, seed] { interrupt(seed); });
}

Delays::~Delays() {
  ends_.store(true);
  thread_.join();
  is_on.store(false);
}

void Delays::interrupt(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  while (!ends_.load()) {
    const std::vector<pid_t> threads = other_threads();
    for (int i = 0; i < kInterruptsEach && !threads.empty() && !ends_.load(); ++i) {
      (void)::tgkill(::getpid(), threads[random() % threads.size()], stop_signal());
      std::this_thread::sleep_for(kBetween / threads.size());
    }
  }
}

namespace {

void may_pause() noexcept {
  if (is_on.load(std::memory_order_relaxed) && draw() % kPlacesEach == 0) pause_a_while();
}

void may_step() noexcept {
  if (is_on.load(std::memory_order_relaxed) && draw() % kPlacesStepped == 0) {
    (void)::tgkill(::getpid(), ::gettid(), stop_signal());
  }
}

// The function that the one of that name here stands before. The version is that of the C library's
// condition variables as they are since 2003: without it the older ones would be found.
template <class Function>
Function* real(std::atomic<Function*>& kept, const char* name, const char* version = nullptr) {
  Function* function = kept.load(std::memory_order_relaxed);
  if (function != nullptr) return function;
  function = reinterpret_cast<Function*>(version == nullptr ? ::dlsym(RTLD_NEXT, name)
                                                            : ::dlvsym(RTLD_NEXT, name, version));
  if (function == nullptr) std::abort();
  kept.store(function, std::memory_order_relaxed);
  return function;
}

constexpr const char* kConditions = "GLIBC_2.3.2";

}  // namespace

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static constinit std::atomic<int (*)(pthread_mutex_t*)> kept{nullptr};
  may_pause();
  const int result = real(kept, "pthread_mutex_lock")(mutex);
  may_step();
  return result;
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static constinit std::atomic<int (*)(pthread_mutex_t*)> kept{nullptr};
  const int result = real(kept, "pthread_mutex_unlock")(mutex);
  may_step();
  return result;
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  static constinit std::atomic<int (*)(pthread_cond_t*, pthread_mutex_t*)> kept{nullptr};
  may_pause();
  return real(kept, "pthread_cond_wait", kConditions)(condition, mutex);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  static constinit std::atomic<int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t,
                                       const timespec*)>
      kept{nullptr};
  may_pause();
  return real(kept, "pthread_cond_clockwait")(condition, mutex, clock, until);
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  static constinit std::atomic<int (*)(pthread_cond_t*)> kept{nullptr};
  may_pause();
  return real(kept, "pthread_cond_signal", kConditions)(condition);
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  static constinit std::atomic<int (*)(pthread_cond_t*)> kept{nullptr};
  may_pause();
  return real(kept, "pthread_cond_broadcast", kConditions)(condition);
}

// Threads that are deaf to signals hear that one.
int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  static constinit std::atomic<int (*)(int, const sigset_t*, sigset_t*)> kept{nullptr};
  const auto next = real(kept, "pthread_sigmask");
  if (set == nullptr || how == SIG_UNBLOCK) return next(how, set, before);
  sigset_t heard = *set;
  sigdelset(&heard, stop_signal());
  sigdelset(&heard, SIGTRAP);
  return next(how, &heard, before);
}

// Waiting for a word of memory is a call of the system without a function of its own. The caller
// may have passed fewer arguments than are read here: the rest is whatever lies on its stack.
[[gnu::no_sanitize_address]] long syscall(long number, ...) noexcept {
  static constinit std::atomic<long (*)(long, ...)> kept{nullptr};
  std::va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex) may_pause();
  return real(kept, "syscall")(number, arguments[0], arguments[1], arguments[2], arguments[3],
                               arguments[4], arguments[5]);
}

}  // extern "C"

#endif

}  // namespace loci::test
