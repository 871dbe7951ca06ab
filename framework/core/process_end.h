// Tasks that are done before the process ends, while all the libraries in it still work.
//
// A plugin's libraries have destructors that exit() runs in the reverse order in which they were
// registered: those of what a kernel made at its first run come before everything that was
// registered earlier. Work that is queued then would run in code and tables that are gone. So it is
// ended before the first destructor, wherever the process ends by exit() or by return from main().
// quick_exit(), _exit() and signals abandon it. One gap is left: a thread that has never used Loci
// calls exit() while another one is within a NewCode.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace loci::core {

using EndClock = std::chrono::steady_clock;

// The largest LOCI_EXIT_TIMEOUT, a day.
inline constexpr std::uint64_t kMostExitSeconds = 86'400;

// Ends what is under way, or gives up at the deadline; returns what it gave up, for a message,
// empty if nothing. Runs once, on the thread that ends the process.
using EndTask = std::string (*)(EndClock::time_point deadline);

// The last added runs first. Thread-safe.
void at_process_end(EndTask task);

// Returns true once the tasks have been run: nothing may call into a plugin from then on.
[[nodiscard]] bool process_is_ending() noexcept;

// Around code that may register destructors as it runs: a plugin is mapped, a kernel prepared, or
// launched for the first time. The end's tasks come before them, and a watched thread that ends the
// process meanwhile waits, for a second at most: the destructors of what is only half made are the
// first that exit() would run. May be nested.
class NewCode {
 public:
  NewCode() noexcept;
  ~NewCode();
  NewCode(const NewCode&) = delete;
  NewCode& operator=(const NewCode&) = delete;
};

// Has the end's tasks come before all destructors if the calling thread calls exit(). For each
// thread that uses a device; the one that loads Loci is watched from the beginning.
void watch_this_thread();

}  // namespace loci::core
