#include "tools/loci/thread_calls.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <string>

namespace loci::runner {
namespace {

using TextPointer = std::atomic<const char*>;
static_assert(TextPointer::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// One thread writes its slot, and handlers of signals in any thread read it.
struct Slot {
  std::atomic<bool> is_taken{false};
  std::atomic<std::uint64_t> version{0};  // odd while the rest changes
  TextPointer plugin{nullptr};
  TextPointer function{nullptr};  // null between calls
  std::atomic<std::uint64_t> number{0};
  std::atomic<std::int64_t> since{0};
};

std::array<Slot, kMostThreads> slots;
std::atomic<std::uint64_t> latest_number{0};
// The type needs no construction, so that a handler may look at any time.
thread_local Slot* slot_of_thread = nullptr;

const char* kept(std::string_view text) {
  static auto& mutex = *new std::mutex();
  static auto& texts = *new std::set<std::string, std::less<>>();
  const std::lock_guard lock(mutex);
  const auto found = texts.find(text);
  return (found == texts.end() ? texts.emplace(text).first : found)->c_str();
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

PluginCall read(const Slot& slot) {
  const std::uint64_t version = slot.version.load();
  const PluginCall call{slot.plugin.load(), slot.function.load(), slot.number.load(),
                        slot.since.load()};
  // It changes now or has changed meanwhile: then the thread does not hang in it.
  if (version % 2 != 0 || slot.version.load() != version) return {};
  return call;
}

void write(Slot& slot, const char* plugin, const char* function) {
  ++slot.version;
  slot.plugin.store(plugin);
  slot.function.store(function);
  slot.number.store(++latest_number);
  slot.since.store(now());
  ++slot.version;
}

// A thread holds a slot until it ends. Where all are taken, it has one that only itself sees.
class Lease {
 public:
  Lease() : slot_(take()) { slot_of_thread = slot_; }
  ~Lease() {
    slot_of_thread = nullptr;
    write(*slot_, nullptr, nullptr);
    slot_->is_taken.store(false);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  [[nodiscard]] Slot& slot() { return *slot_; }

 private:
  Slot* take() {
    for (Slot& slot : slots) {
      if (!slot.is_taken.exchange(true)) return &slot;
    }
    return &own_;
  }

  Slot own_;
  Slot* slot_;
};

}  // namespace

void note_call(std::string_view plugin, std::string_view function) {
  thread_local Lease lease;
  const bool has_ended = plugin.empty();
  write(lease.slot(), has_ended ? nullptr : kept(plugin), has_ended ? nullptr : kept(function));
}

PluginCall call_of_this_thread() {
  return slot_of_thread == nullptr ? PluginCall() : read(*slot_of_thread);
}

void read_calls(ThreadCalls* calls) {
  calls->count = 0;
  for (const Slot& slot : slots) {
    if (const PluginCall call = read(slot)) calls->calls[calls->count++] = call;
  }
  std::sort(calls->calls.begin(), calls->calls.begin() + calls->count,
            [](const PluginCall& a, const PluginCall& b) { return a.number < b.number; });
}

}  // namespace loci::runner
