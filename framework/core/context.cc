#include "framework/core/context.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <new>

#include "framework/core/log.h"
#include "framework/core/process_end.h"
#include "framework/core/raise.h"

namespace loci::core {
namespace {

// Without a destructor.
union Standard {
  constexpr Standard() noexcept : context(0) {}
  ~Standard() {}
  Context context;
};
constinit Standard standard;

// Contexts, and what threads have in them.
struct Registry {
  std::mutex mutex;
  std::uint64_t last_number = 0;
  std::vector<std::weak_ptr<Context>> contexts;  // that make() has made
  std::vector<Context*> kept;                    // that could not end
  std::vector<std::shared_ptr<ThreadValues>> values;
};

// Around fork() the lists belong to the thread that forks. The handlers of whoever locks contexts'
// own objects are added later, so that they take these locks before and leave them after: nobody
// asks for the registry's while he has another one's turn to wait for.
Registry& make_registry() {
  // Takes no memory, which threads that may not throw could not ask for; never destroyed.
  alignas(Registry) static std::byte memory[sizeof(Registry)];
  static Registry& made = *new (memory) Registry;
  return made;
}
Registry& registry() {
  static Registry& all = []() -> Registry& {
    pthread_atfork([] { make_registry().mutex.lock(); }, [] { make_registry().mutex.unlock(); },
                   [] { make_registry().mutex.unlock(); });
    return make_registry();
  }();
  return all;
}

// Whoever takes the values out of the registry ends them.
std::shared_ptr<ThreadValues> take_values(const std::shared_ptr<ThreadValues>& wanted) {
  std::vector<std::shared_ptr<ThreadValues>>& all = registry().values;
  const auto found = std::find(all.begin(), all.end(), wanted);
  if (found == all.end()) return nullptr;
  all.erase(found);
  wanted->context = nullptr;
  return wanted;
}

// In the order in which the slots stand; in the context, in which the thread is.
void end_values(ThreadValues& values) noexcept {
  for (ThreadValues::Value& value : values.values) {
    if (value.object != nullptr) value.end(std::exchange(value.object, nullptr));
  }
}

thread_local bool thread_has_ended = false;

// The values that a thread has in contexts, the latest last.
class OfThread {
 public:
  ~OfThread() {
    thread_has_ended = true;
    for (const std::shared_ptr<ThreadValues>& each : values_) end(each);
    this_thread.values = nullptr;
  }

  // With the registry's lock.
  std::vector<std::shared_ptr<ThreadValues>>& values() noexcept { return values_; }

 private:
  static void end(const std::shared_ptr<ThreadValues>& each) {
    std::shared_ptr<Context> owner;  // which does not end meanwhile
    {
      const std::lock_guard lock(registry().mutex);
      if (each->context == nullptr) return;
      owner = each->context->share();
      if (owner == nullptr) return;  // it ends, and ends them itself
      take_values(each);
    }
    const ContextSwitch inside(*owner);
    end_values(*each);
    owner->count_use(each->uses.load(std::memory_order_relaxed));
  }

  std::vector<std::shared_ptr<ThreadValues>> values_;
};

OfThread& of_thread() {
  thread_local OfThread values;
  return values;
}

ThreadValues* find_in(const std::vector<std::shared_ptr<ThreadValues>>& values,
                      const Context* context) {
  const auto found = std::find_if(
      values.begin(), values.end(),
      [context](const std::shared_ptr<ThreadValues>& each) { return each->context == context; });
  return found == values.end() ? nullptr : found->get();
}

}  // namespace

constinit thread_local ThisThread this_thread
    [[gnu::tls_model("initial-exec")]] = {&standard.context, nullptr};

ThreadValues* ThisThread::find_values() noexcept {
  if (values != nullptr || thread_has_ended) return values;
  const std::lock_guard lock(registry().mutex);
  return values = find_in(of_thread().values(), context);
}

ThreadValues& ThisThread::require_values() {
  if (find_values() != nullptr) return *values;
  auto made = std::make_shared<ThreadValues>();
  made->context = context;
  const std::lock_guard lock(registry().mutex);
  registry().values.push_back(made);
  if (!thread_has_ended) {
    std::vector<std::shared_ptr<ThreadValues>>& own = of_thread().values();
    std::erase_if(own, [](const auto& each) { return each->context == nullptr; });
    try {
      own.push_back(made);
    } catch (...) {
      registry().values.pop_back();
      throw;
    }
  }
  return *(values = made.get());
}

ContextSwitch::~ContextSwitch() {
  if (this_thread.context != outer_.context) this_thread = outer_;
}

Context& Context::standard() noexcept { return core::standard.context; }

std::shared_ptr<Context> Context::make() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const std::shared_ptr<Context> made(new Context(++all.last_number), &Context::end);
  std::erase_if(all.contexts, [](const auto& each) { return each.expired(); });
  all.contexts.push_back(made);
  made->self_ = made;
  return made;
}

std::shared_ptr<Context> Context::share() noexcept {
  if (number_ == 0) return {std::shared_ptr<void>(), this};
  return self_.lock();
}

std::int64_t Context::uses() const noexcept {
  std::int64_t sum = shared_uses_.load(std::memory_order_acquire);
  const std::lock_guard lock(registry().mutex);
  for (const std::shared_ptr<ThreadValues>& each : registry().values) {
    if (each->context == this) sum += each->uses.load(std::memory_order_acquire);
  }
  return sum;
}

void* Context::keep(std::unique_ptr<Made> made) {
  {
    const std::lock_guard lock(mutex_);
    std::atomic<void*>& slot = slots_[static_cast<std::size_t>(made->slot)];
    if (void* earlier = slot.load(std::memory_order_relaxed); earlier == nullptr) {
      slot.store(made->object, std::memory_order_release);
      made->earlier = last_made_;
      last_made_ = made.get();
      return made.release()->object;
    }
  }
  made->end(made->object);
  return slots_[static_cast<std::size_t>(made->slot)].load(std::memory_order_acquire);
}

void Context::finish_work() noexcept {
  for (const Made* made = last_made_; made != nullptr; made = made->earlier) {
    if (made->finish != nullptr) made->finish(made->object);
  }
}

void Context::end_thread_values() noexcept {
  while (true) {
    std::shared_ptr<ThreadValues> next;
    {
      const std::lock_guard lock(registry().mutex);
      for (const std::shared_ptr<ThreadValues>& each : registry().values) {
        if (each->context == this) next = each;
      }
      if (next == nullptr) break;
      take_values(next);
    }
    end_values(*next);
    shared_uses_.fetch_add(next->uses.load(std::memory_order_acquire), std::memory_order_acq_rel);
  }
  this_thread.values = nullptr;
}

void Context::end_slots(bool holders_alone) noexcept {
  for (Made** at = &last_made_; *at != nullptr;) {
    Made* made = *at;
    if (holders_alone && made->slot < ContextSlot::kFirstHolder) {
      at = &made->earlier;
      continue;
    }
    made->end(made->object);
    // Objects that end later may still have asked for it, and what they make anew comes first.
    slots_[static_cast<std::size_t>(made->slot)].store(nullptr, std::memory_order_release);
    for (at = &last_made_; *at != made;) at = &(*at)->earlier;
    *at = made->earlier;
    delete made;
    at = &last_made_;
  }
}

void Context::end(Context* context) noexcept {
  if (process_is_ending()) return;  // with all that it has
  const ContextSwitch inside(*context);
  context->finish_work();
  context->end_thread_values();
  context->end_slots(/*holders_alone=*/true);
  context->end_thread_values();
  if (const std::int64_t uses = context->uses(); uses != 0) {
    log(Module::kDevice, Level::kError,
        "context {} ends while {} tensors, executors, streams or programs of it are there: it is "
        "kept until the process ends; end them before it",
        context->number(), uses);
    const std::lock_guard lock(registry().mutex);
    registry().kept.push_back(context);
    return;
  }
  context->end_slots(/*holders_alone=*/false);
  context->end_thread_values();
  delete context;
}

std::vector<std::shared_ptr<Context>> live_contexts() {
  std::vector<std::shared_ptr<Context>> live;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  live.reserve(all.contexts.size() + all.kept.size() + 1);
  live.push_back(Context::standard().share());
  for (Context* kept : all.kept) live.emplace_back(std::shared_ptr<void>(), kept);
  for (const std::weak_ptr<Context>& each : all.contexts) {
    if (std::shared_ptr<Context> found = each.lock()) live.push_back(std::move(found));
  }
  return live;
}

void refuse_other_context(std::string_view user, const std::string& what, const Context& owner,
                          std::string_view remedy) {
  raise(ErrorCode::kInvalidArgument,
        "[{}] {} belongs to context {}, and this thread is in context "
        "{}; {}",
        user, what, owner.number(), Context::current().number(), remedy);
}

}  // namespace loci::core
