// A context has registries, devices, memory, caches and recording of its own, so that a process may
// have several of each. There is always the standard one; loci::Context makes others.
//
// A thread has a current context, at first the standard one. A type of which each context has one
// names its place in ContextSlot, and is found, and made at its first use, by in_context<T>().
//
// One in the process, and shared by all contexts: logging, environment and configuration
// (config.h), the thread team, the clock and the end of the process, which are the process's own;
// mapped libraries and what is known of their code (plugin/library.h, plugin/exit_watch.h,
// dispatch/new_code.h), because the dynamic linker maps a file once; interned texts, labels, names
// of timers and opaque layouts (memory/intern.h, profiler/label_table.h, profiler/stat_names.h,
// plugin/layout_table.h), whose pointers and numbers stand in plans and in the application's own
// statics; ids that have to differ anywhere (correlations, programs, tape nodes); free nodes of the
// node pool, which are plain host memory; the schemas of built-in ops, which never change. Guards
// of devices and of transfer policies are the thread's, and hold in every context.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loci::core {

// Where a context keeps its one object of a type. What comes from kFirstHolder on may hold tensors,
// kernels or plans, and ends first; what is before that ends after it has been seen that nothing of
// the context is in use any more.
enum class ContextSlot : std::uint8_t {
  kPlugins,     // instances: options and device types differ
  kOps,         // schemas of plugins' ops, which call into instances
  kDevices,     // open devices, and with them their memory
  kHostMemory,  // statistics and limit of host memory
  kQueues,      // of devices
  kTransfers,   // the ledger
  kRecording,   // the profiler's collector: sessions may run at the same time
  kStats,       // what timers have measured
  kCapturers,   // of open devices
  kFirstHolder,
  kSessionClaim = kFirstHolder,  // whether a session of the profiler runs
  kSession,                      // the one that has no owner
  kScope,                        // the global scope
  kRandomState,
  kKernels,  // prepared for imperative calls
  kFallbackNotes,
  kDeviceTimes,    // events of devices
  kExternalRange,  // backends that were told of it
  kGraphPools,     // memory of graphs that have ended
  kCount
};

// A thread keeps one value of each of these kinds in each context that it works in.
enum class ThreadSlot : std::uint8_t { kEager, kLog, kStats, kCopyLabels, kCount };

class Context;

// The values of one thread in one context. Made by the thread, ended by it or with the context.
struct ThreadValues {
  struct Value {
    void* object = nullptr;
    void (*end)(void* object) noexcept = nullptr;
  };
  std::array<Value, static_cast<std::size_t>(ThreadSlot::kCount)> values{};
  // Objects that the thread has made in the context, less those it has ended. Written by it alone.
  std::atomic<std::int64_t> uses{0};
  Context* context = nullptr;  // null once that has ended, or the thread has
};

// Thread-safe, but for its end: no thread is within it then.
class Context {
 public:
  // Never destroyed: objects of static duration may be used after main has returned.
  static Context& standard() noexcept;
  static Context& current() noexcept;
  // A new one. Its last owner waits for its work, and ends what it has, unless something of it is
  // still in use: then it is kept for ever, and an error is logged.
  static std::shared_ptr<Context> make();
  // Owns it as others do; the standard one needs no owner.
  std::shared_ptr<Context> share() noexcept;  // null once it ends

  constexpr explicit Context(std::uint64_t number) noexcept : number_(number) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // For messages: 0 is the standard one.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  // Null if it has not been made.
  template <class T>
  [[nodiscard]] T* find() const noexcept {
    return static_cast<T*>(slot_of<T>().load(std::memory_order_acquire));
  }
  template <class T>
  T& get() {
    if (T* found = find<T>()) [[likely]]
      return *found;
    return make_slot<T>();
  }

  // Objects outside of it that need it: see ContextUse. The standard one never ends, so nothing is
  // counted there.
  void count_use(std::int64_t change) noexcept {
    if (number_ != 0) add_uses(change);
  }
  [[nodiscard]] std::int64_t uses() const noexcept;

 private:
  void add_uses(std::int64_t change) noexcept;

  struct Made {
    ContextSlot slot;
    void* object;
    void (*finish)(void* object) noexcept;  // null: nothing to finish
    void (*end)(void* object) noexcept;
    Made* earlier;
  };

  template <class T>
  [[nodiscard]] const std::atomic<void*>& slot_of() const noexcept {
    return slots_[static_cast<std::size_t>(T::kContextSlot)];
  }
  template <class T>
  T& make_slot();
  // Takes the new object, or drops it where another thread has made one at the same time.
  void* keep(std::unique_ptr<Made> made);
  static void end(Context* context) noexcept;
  void finish_work() noexcept;
  void end_thread_values() noexcept;
  void end_slots(bool holders_alone) noexcept;

  const std::uint64_t number_;
  std::array<std::atomic<void*>, static_cast<std::size_t>(ContextSlot::kCount)> slots_{};
  std::atomic<std::int64_t> shared_uses_{0};
  std::mutex mutex_;
  Made* last_made_ = nullptr;
  std::weak_ptr<Context> self_;  // empty: the standard one
};

// The thread's place. Read with one instruction: its few bytes lie in the memory that every thread
// has from its start.
struct ThisThread {
  Context* context;
  ThreadValues* values;  // of that context; null before the first one is asked for

  // Null if there are none.
  ThreadValues* find_values() noexcept;
  // Finds or makes them. Throws std::bad_alloc.
  ThreadValues& require_values();
};
extern constinit thread_local ThisThread this_thread [[gnu::tls_model("initial-exec")]];

inline Context& Context::current() noexcept { return *this_thread.context; }

// The current context's T, which has a default constructor. It asks for what it needs at its end:
// objects end in the reverse order of their making. Before anything ends, `finish()` is called of
// those that have it, also in that order: it waits for work.
template <class T>
T& in_context() {
  return this_thread.context->get<T>();
}

// All contexts that live, the standard one first; none of them ends meanwhile.
std::vector<std::shared_ptr<Context>> live_contexts();

// The thread is in that context while it lives. Nests. Allocates nothing. The context is kept by
// whoever calls.
class ContextSwitch {
 public:
  explicit ContextSwitch(Context& context) noexcept : outer_(this_thread) {
    if (this_thread.context != &context) this_thread = {&context, nullptr};
  }
  ~ContextSwitch();
  ContextSwitch(const ContextSwitch&) = delete;
  ContextSwitch& operator=(const ContextSwitch&) = delete;

 private:
  ThisThread outer_;
};

// A member of what is made in a context and needs it as long as it lives: tensors' storage,
// executors, streams. A context that ends before counts as in use.
class ContextUse {
 public:
  ContextUse() noexcept : context_(this_thread.context) { context_->count_use(1); }
  ContextUse(const ContextUse& other) noexcept : context_(other.context_) {
    context_->count_use(1);
  }
  ContextUse& operator=(const ContextUse&) = delete;
  ~ContextUse() { context_->count_use(-1); }

  [[nodiscard]] Context& context() const noexcept { return *context_; }
  [[nodiscard]] bool is_current() const noexcept { return context_ == this_thread.context; }

 private:
  Context* context_;
};

// Throws Error(kInvalidArgument): `what` ("tensor 'x' f32[2]") is of `owner`, and is used by `user`
// ("add") in the current context. `remedy` says how to bring it over.
[[noreturn]] void refuse_other_context(std::string_view user, const std::string& what,
                                       const Context& owner, std::string_view remedy);

inline void Context::add_uses(std::int64_t change) noexcept {
  ThreadValues* values = this_thread.values;
  if (this_thread.context != this || values == nullptr) [[unlikely]] {
    shared_uses_.fetch_add(change, std::memory_order_acq_rel);
    return;
  }
  values->uses.store(values->uses.load(std::memory_order_relaxed) + change,
                     std::memory_order_release);
}

template <class T>
T& Context::make_slot() {
  auto made = std::make_unique<Made>();
  auto object = std::make_unique<T>();
  made->slot = T::kContextSlot;
  if constexpr (requires(T & each) { each.finish(); }) {
    made->finish = [](void* each) noexcept { static_cast<T*>(each)->finish(); };
  } else {
    made->finish = nullptr;
  }
  made->end = [](void* each) noexcept { delete static_cast<T*>(each); };
  made->object = object.release();
  return *static_cast<T*>(keep(std::move(made)));
}

// One T for each thread and context, made at its first use there, and destroyed as the thread or
// the context ends. What the thread does after its own end (destructors of statics, where it ends
// the process) gets one that stays as long as the context.
template <class T>
T& in_thread() {
  constexpr auto kSlot = static_cast<std::size_t>(T::kThreadSlot);
  ThreadValues* values = this_thread.values;
  if (values == nullptr) [[unlikely]]
    values = &this_thread.require_values();
  ThreadValues::Value& value = values->values[kSlot];
  if (value.object == nullptr) [[unlikely]] {
    value.object = new T();
    value.end = [](void* object) noexcept { delete static_cast<T*>(object); };
  }
  return *static_cast<T*>(value.object);
}
// Null if there is none yet.
template <class T>
T* find_in_thread() noexcept {
  ThreadValues* values = this_thread.values;
  if (values == nullptr) [[unlikely]]
    values = this_thread.find_values();
  if (values == nullptr) return nullptr;
  return static_cast<T*>(values->values[static_cast<std::size_t>(T::kThreadSlot)].object);
}

}  // namespace loci::core
