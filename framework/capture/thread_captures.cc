#include "framework/capture/thread_captures.h"

#include <algorithm>
#include <utility>

#include "framework/eager/thread_state.h"

namespace loci::capture {

ThreadCaptures& ThreadCaptures::of_this_thread() {
  thread_local ThreadCaptures captures;
  return captures;
}

// The thread ends, and its state may have gone.
ThreadCaptures::~ThreadCaptures() {
  execution::run_recorder = nullptr;
  stop_watching();
}

void ThreadCaptures::add(const std::shared_ptr<CaptureSession>& session,
                         std::shared_ptr<eager::Queue> own_queue) {
  captures_.push_back({session, own_queue});
  if (own_queue != nullptr) {
    std::vector<eager::Queue*>& streams = eager::thread_state().streams;
    streams.insert(streams.begin(), own_queue.get());
  }
  execution::run_recorder = this;
  watch();
}

template <class Ends>
void ThreadCaptures::remove_if(const Ends& ends) noexcept {
  std::erase_if(captures_, [&](const Capture& each) {
    if (!ends(each.session.lock().get())) return false;
    std::vector<eager::Queue*>& streams = eager::thread_state().streams;
    const auto queue = std::find(streams.begin(), streams.end(), each.own_queue.get());
    if (queue != streams.end()) streams.erase(queue);
    return true;
  });
  if (!captures_.empty()) return;
  execution::run_recorder = nullptr;
  if (is_watching_) eager::thread_state().watcher = nullptr;
  stop_watching();
}

void ThreadCaptures::watch() {
  if (is_watching_) return;
  eager::thread_state().watcher = this;
  eager::task_watchers.fetch_add(1, std::memory_order_relaxed);
  is_watching_ = true;
}

void ThreadCaptures::stop_watching() noexcept {
  if (!std::exchange(is_watching_, false)) return;
  eager::task_watchers.fetch_sub(1, std::memory_order_relaxed);
}

void ThreadCaptures::remove(const CaptureSession* session) noexcept {
  remove_if([session](const CaptureSession* each) { return each == session; });
}

void ThreadCaptures::remove_ended() noexcept {
  remove_if([](const CaptureSession* each) { return each == nullptr || !each->is_open(); });
}

std::shared_ptr<CaptureSession> ThreadCaptures::of(const device::Device& device) const {
  for (const Capture& each : captures_) {
    std::shared_ptr<CaptureSession> session = each.session.lock();
    if (session != nullptr && session->is_open() && &session->device() == &device) return session;
  }
  return nullptr;
}

std::vector<std::shared_ptr<CaptureSession>> ThreadCaptures::open() const {
  std::vector<std::shared_ptr<CaptureSession>> sessions;
  for (const Capture& each : captures_) {
    std::shared_ptr<CaptureSession> session = each.session.lock();
    if (session != nullptr && session->is_open()) sessions.push_back(std::move(session));
  }
  return sessions;
}

bool ThreadCaptures::is_watched_by_other() const {
  const eager::TaskWatcher* watcher = eager::thread_state().watcher;
  return watcher != nullptr && watcher != this && !watcher->gives_way();
}

void ThreadCaptures::note_task(const eager::Task& task, const eager::Queue& queue) {
  if (queue.has_recorder()) return;  // it is some graph's
  for (const auto& session : open()) session->check_beside(task, queue);
}

void ThreadCaptures::look_on(const execution::Plan& /*plan*/, device::Device& device,
                             const Feed& /*feed*/, const std::vector<Fetch>& /*fetch*/,
                             const std::function<void()>& run) {
  for (const auto& session : open()) session->refuse_run(device);
  run();
}

bool ThreadCaptures::takes(const device::Device& device) const { return of(device) != nullptr; }

bool ThreadCaptures::record(const device::Device& device,
                            std::shared_ptr<const execution::Plan> plan,
                            const std::shared_ptr<tensor::ScopeImpl>& scope) {
  const std::shared_ptr<CaptureSession> session = of(device);
  return session == nullptr || session->record_run(std::move(plan), scope);
}

}  // namespace loci::capture
