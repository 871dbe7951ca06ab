#include "framework/eager/queues.h"

#include <fmt/format.h>
#include <pthread.h>

#include <optional>
#include <utility>

#include "framework/core/calls_at_end.h"
#include "framework/device/device_manager.h"
#include "framework/plugin/exit_watch.h"

namespace loci::eager {

namespace {

// Those whose locks are taken, by the thread that forks.
std::vector<std::shared_ptr<core::Context>>& forking() {
  static auto& contexts = *new std::vector<std::shared_ptr<core::Context>>();
  return contexts;
}

}  // namespace

Queues::Queues() {
  // Devices and memory end after the workers and what they keep: what is made first ends last.
  device::DeviceManager::instance().watch_reopening([this](const device::Device& replaced) {
    for (Queue* queue : all(&replaced)) queue->leave_device();
  });
  memory::host_allocator();
  watch_process();
}

void Queues::watch_process() {
  static std::once_flag once;
  std::call_once(once, [] { core::at_process_end(&Queues::stop_all); });
}

// Once there is a device, so that its libraries' handlers of fork() come after these: LLVM's OpenMP
// keeps a lock from then on that the work needs which is waited for here.
void Queues::watch_forks() {
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork(&Queues::prepare_fork, &Queues::resume_parent, &Queues::resume_child);
  });
}

Queue& Queues::make(device::Device& device, bool is_default, Queue::Issue issue,
                    std::int32_t priority) {
  watch_forks();
  return *queues_.emplace_back(std::make_unique<Queue>(device, is_default, issue, priority));
}

Queue& Queues::default_queue(device::Device& device) {
  const std::lock_guard lock(mutex_);
  Queue*& queue = devices_[&device].standard;
  if (queue == nullptr) queue = &make(device, /*is_default=*/true, Queue::Issue::kAtOnce);
  return *queue;
}

Queue& Queues::copy_queue(device::Device& device, Direction direction) {
  const std::lock_guard lock(mutex_);
  OfDevice& of = devices_[&device];
  Queue*& queue = direction == Direction::kToDevice ? of.to_device : of.from_device;
  if (queue == nullptr) queue = &make(device, /*is_default=*/false, Queue::Issue::kByWorker);
  return *queue;
}

std::shared_ptr<Queue> Queues::lease(device::Device& device, std::int32_t priority) {
  const std::int32_t nearest = device.nearest_priority(priority);
  const std::lock_guard lock(mutex_);
  std::vector<Queue*>& free = devices_[&device].free[nearest];
  Queue* queue = nullptr;
  if (free.empty()) {
    queue = &make(device, /*is_default=*/false, Queue::Issue::kAtOnce, nearest);
  } else {
    queue = free.back();
    free.pop_back();
  }
  return {queue, [this, use = core::ContextUse()](Queue* ended) { give_back(ended); }};
}

// One that is being captured is nobody else's meanwhile; it is not given again.
void Queues::give_back(Queue* queue) {
  if (queue->recorder() != nullptr) return;
  const std::lock_guard lock(mutex_);
  devices_[&queue->device()].free[queue->priority()].push_back(queue);
}

std::vector<Queue*> Queues::all(const device::Device* device) {
  const std::lock_guard lock(mutex_);
  std::vector<Queue*> queues;
  for (const std::unique_ptr<Queue>& queue : queues_) {
    if (device == nullptr || &queue->device() == device) queues.push_back(queue.get());
  }
  return queues;
}

void Queues::synchronize(const device::Device* device) {
  std::optional<Error> first;
  for (Queue* queue : all(device)) {
    try {
      queue->synchronize();
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  if (first) throw *first;
}

void Queues::finish() noexcept {
  for (const std::unique_ptr<Queue>& queue : queues_) (void)queue->outcome(queue->mark());
  for (const std::unique_ptr<Queue>& queue : queues_) queue->end();
}

std::string Queues::stop(core::EndClock::time_point deadline) {
  std::string left;
  for (Queue* queue : all(nullptr)) {
    if (queue->stop(deadline)) continue;
    left += fmt::format("{}ops on tensors at {}", left.empty() ? "" : ", ",
                        queue->device().place().to_string());
  }
  return left;
}

std::string Queues::stop_all(core::EndClock::time_point deadline) {
  plugin::end_if_a_plugin_exits();
  for (const std::shared_ptr<core::Context>& context : core::live_contexts()) {
    auto* queues = context->find<Queues>();
    if (queues == nullptr) continue;
    for (Queue* queue : queues->all(nullptr)) queue->begin_end();
  }
  core::await_calls(deadline);  // what they have begun to enqueue
  std::string left;
  for (const std::shared_ptr<core::Context>& context : core::live_contexts()) {
    auto* queues = context->find<Queues>();
    const std::string of_context = queues == nullptr ? std::string() : queues->stop(deadline);
    if (!of_context.empty()) left += (left.empty() ? "" : ", ") + of_context;
  }
  return left;
}

void Queues::prepare_fork() {
  for (std::shared_ptr<core::Context>& context : core::live_contexts()) {
    auto* queues = context->find<Queues>();
    if (queues == nullptr) continue;
    queues->mutex_.lock();
    for (const std::unique_ptr<Queue>& queue : queues->queues_) queue->prepare_fork();
    forking().push_back(std::move(context));
  }
}

void Queues::resume_parent() {
  for (const std::shared_ptr<core::Context>& context : forking()) {
    auto* queues = context->find<Queues>();
    for (const std::unique_ptr<Queue>& queue : queues->queues_) queue->resume_parent();
    queues->mutex_.unlock();
  }
  forking().clear();
}

void Queues::resume_child() {
  for (const std::shared_ptr<core::Context>& context : forking()) {
    auto* queues = context->find<Queues>();
    for (const std::unique_ptr<Queue>& queue : queues->queues_) queue->resume_child();
    queues->mutex_.unlock();
  }
  forking().clear();
}

}  // namespace loci::eager
