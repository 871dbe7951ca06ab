#include "plugins/sim/worker.h"

#include <sys/prctl.h>

#include <chrono>
#include <utility>

#include "plugins/sim/graph.h"

namespace loci::sim {

Worker::Worker(Failures& failures, ProfileSource& profile, PriorityGate& gate,
               const WorkerOptions& options)
    : failures_(failures),
      profile_(profile),
      gate_(gate),
      options_(options),
      random_(options.seed),
      thread_([this] { run(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Worker::enqueue(std::unique_ptr<Work> work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    ++enqueued_;
  }
  changed_.notify_all();
}

bool Worker::idle() const {
  const std::lock_guard lock(mutex_);
  return ended_ == enqueued_;
}

void Worker::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this, end = enqueued_] { return ended_ >= end; });
}

void Worker::run() {
  // Modelled times are microseconds, and the kernel's default slack is fifty.
  prctl(PR_SET_TIMERSLACK, 1000);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    std::unique_ptr<Work> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    run_one(*work);
    work.reset();
    lock.lock();
    leave_gate();
    ++ended_;
    changed_.notify_all();
  }
}

void Worker::run_one(Work& work) noexcept {
  if (const GraphWork* graph = work.as_graph()) return run_graph(*graph);
  if (!work.is_control()) {
    return run_task(
        work, work.duration(), [&work] { return work.name(); }, [&work] { return work.facts(); });
  }
  try {
    work.run();
  } catch (...) {
    failures_.keep_current(work.name(), 0);
  }
}

// A task that fails keeps none from running that comes behind it, as in a stream.
void Worker::run_graph(const GraphWork& graph) noexcept {
  enter_gate();
  if (!graph.nodes().empty() && graph.latency().count() > 0) {
    std::this_thread::sleep_for(graph.latency());
  }
  for (const auto& each : graph.nodes()) {
    const GraphNode& node = *each;
    Work& work = *node.work;
    run_task(
        work, work.duration() - work.launch_latency(), [&node] { return node.name; },
        [&] { return graph.facts_of(node); });
  }
  graph.reach_end();
}

template <class Name, class Facts>
void Worker::run_task(Work& work, std::chrono::nanoseconds duration, const Name& name,
                      const Facts& facts) noexcept {
  try {
    delay();
    enter_gate();
    if (!failures_.enter_task(name())) return;
    const auto begin = std::chrono::steady_clock::now();
    work.run();
    if (duration.count() > 0) std::this_thread::sleep_until(begin + duration);
    if (profile_.records_work()) {
      profile_.add(name(), facts(), options_.lane, begin, std::chrono::steady_clock::now());
    }
  } catch (...) {
    failures_.keep_current(name(), facts().correlation);
  }
}

void Worker::enter_gate() {
  if (!is_within_gate_) gate_.enter(options_.priority);
  is_within_gate_ = true;
  gate_.wait_turn(options_.priority);
}

void Worker::leave_gate() {
  if (!is_within_gate_ || (!queue_.empty() && !queue_.front()->is_control())) return;
  gate_.leave(options_.priority);
  is_within_gate_ = false;
}

void Worker::delay() {
  if (options_.longest_delay.count() == 0) return;
  // Not a distribution of the library: the same seed means the same delays everywhere.
  const auto share = static_cast<double>(random_() >> 11) * 0x1p-53;
  std::this_thread::sleep_for(std::chrono::nanoseconds(
      static_cast<std::int64_t>(share * static_cast<double>(options_.longest_delay.count()))));
}

}  // namespace loci::sim
