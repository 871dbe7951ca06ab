// Which function of which plugin each thread of the process is within.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace loci::runner {

// A call as it was when it was looked at. The texts are never freed.
struct PluginCall {
  const char* plugin = nullptr;
  const char* function = nullptr;
  std::uint64_t number = 0;  // of all calls of the process, in the order in which they began
  std::int64_t since = 0;    // nanoseconds of the steady clock

  explicit operator bool() const { return function != nullptr; }
};

// Works as plugins::CallNotice: the calling thread is within that function from now on, or, with
// both empty, within none.
void note_call(std::string_view plugin, std::string_view function);

// All below are async-signal-safe.

// That of the calling thread; none if it is within no plugin.
PluginCall call_of_this_thread();

// More threads than that are within plugins at a time: those that came last are not listed.
inline constexpr std::size_t kMostThreads = 256;
struct ThreadCalls {
  std::array<PluginCall, kMostThreads> calls;  // that began first, first
  std::size_t count = 0;
};
void read_calls(ThreadCalls* calls);

}  // namespace loci::runner
