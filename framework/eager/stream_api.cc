#include <fmt/format.h>

#include <loci/stream.hpp>
#include <utility>

#include "framework/core/context.h"
#include "framework/core/environment.h"
#include "framework/core/raise.h"
#include "framework/device/capture_rules.h"
#include "framework/device/device_manager.h"
#include "framework/eager/queues.h"
#include "framework/eager/task_watcher.h"
#include "framework/eager/thread_state.h"
#include "framework/eager/work_recorder.h"

namespace loci {
namespace eager {
namespace {

device::Device& device_at(const Place& place) {
  auto& devices = device::DeviceManager::instance();
  return devices.get(devices.resolve(place, Place()));
}

// Queues that nobody leases are not given back; their context is in use.
std::shared_ptr<Queue> unowned(Queue& queue) {
  return {std::make_shared<core::ContextUse>(), &queue};
}

void require_same_context(const Queue& queue, const core::Context& context, std::string_view user) {
  if (&queue.context() == &context) return;
  core::refuse_other_context(user,
                             fmt::format("a stream of {}", queue.device().place().to_string()),
                             queue.context(), "make a stream in this context");
}

// Nobody waits for what is being captured, in any mode.
void check_wait(const Queue& queue, const char* action) {
  if (const auto recorder = queue.recorder()) recorder->refuse_wait(action);
  device::check_unsafe(queue.device(), action);
}

// The recorder of the graph that has that number; null once its capture has ended.
std::shared_ptr<WorkRecorder> recorder_of(const Queue& queue, std::uint64_t graph) {
  std::shared_ptr<WorkRecorder> recorder = queue.recorder();
  return recorder != nullptr && recorder->number() == graph ? recorder : nullptr;
}

[[noreturn]] void refuse_captured_event(const Queue& queue, std::uint64_t graph,
                                        const char* action) {
  if (const auto recorder = recorder_of(queue, graph)) recorder->refuse_wait(action);
  core::raise(ErrorCode::kInvalidArgument,
              "[event] {} on an event that was recorded while graph {} was captured, which nothing "
              "reaches but that graph's own work; record it again",
              action, graph);
}

// A graph's own event, by whoever waits for it in a stream.
void wait_within(const Queue& of, std::uint64_t graph, std::uint64_t mark,
                 const std::shared_ptr<Queue>& waiting) {
  const std::shared_ptr<WorkRecorder> recorder = recorder_of(of, graph);
  if (recorder == nullptr) refuse_captured_event(of, graph, "Event::wait()");
  const std::shared_ptr<WorkRecorder> own = waiting->recorder();
  if (own == nullptr) return recorder->join(waiting);
  if (own == recorder) return recorder->wait_for(*waiting, of, mark);
  own->refuse_wait("Event::wait() for an event of another graph's capture");
}

}  // namespace
}  // namespace eager

inline namespace v0 {

Stream::Stream(std::shared_ptr<eager::Queue> queue) : queue_(std::move(queue)) {}
Stream::Stream(const Place& place, int priority)
    : queue_(eager::Queues::instance().lease(eager::device_at(place), priority)) {}

Stream Stream::default_of(const Place& place) {
  return Stream(eager::unowned(eager::Queues::instance().default_queue(eager::device_at(place))));
}

Stream Stream::current(const Place& place) {
  eager::Queue& standard = eager::Queues::instance().default_queue(eager::device_at(place));
  return Stream(eager::unowned(eager::current_queue(eager::thread_state(), standard)));
}

const Place& Stream::place() const { return queue_->device().place(); }
int Stream::priority() const { return queue_->priority(); }

void Stream::launch_host_function(std::function<void()> function) const {
  if (!function) {
    core::raise(ErrorCode::kInvalidArgument,
                "[launch_host_function] there is no function; give one that can be called");
  }
  eager::Task task;
  task.host_function = std::make_unique<eager::HostFunction>(std::move(function));
  task.site = __builtin_return_address(0);
  queue_->submit(task);
  if (eager::thread_state().is_serial && queue_->recorder() == nullptr) queue_->synchronize();
}

bool Stream::done() const {
  eager::check_wait(*queue_, "Stream::done() asks the device");
  return queue_->has_ended(queue_->mark());
}
void Stream::synchronize() const {
  eager::check_wait(*queue_, "Stream::synchronize() waits for the device");
  queue_->synchronize();
}

void Event::record(const Stream& stream) {
  queue_ = stream.queue();
  const auto recorder = queue_->recorder();
  ticket_ = recorder != nullptr ? recorder->mark(*queue_) : queue_->mark();
  graph_ = recorder != nullptr ? recorder->number() : 0;
  eager::TaskWatcher* watcher = graph_ == 0 ? eager::task_watcher() : nullptr;
  watched_ = watcher != nullptr ? watcher->note_record(*queue_) : 0;
}

void Event::wait(const Stream& stream) const {
  if (queue_ == nullptr) return;
  eager::require_same_context(*stream.queue(), queue_->context(), "Event::wait");
  if (graph_ != 0) return eager::wait_within(*queue_, graph_, ticket_, stream.queue());
  if (const auto recorder = stream.queue()->recorder()) {
    recorder->refuse_wait("Event::wait() for an event that was recorded outside of the capture");
  }
  if (eager::TaskWatcher* watcher = eager::task_watcher()) {
    watcher->note_wait(stream.queue(), *queue_, watched_);
  }
  stream.queue()->wait_for({queue_.get(), ticket_});
}

bool Event::done() const {
  if (queue_ == nullptr) return true;
  if (graph_ != 0) eager::refuse_captured_event(*queue_, graph_, "Event::done()");
  device::check_unsafe(queue_->device(), "Event::done() asks the device");
  return queue_->has_ended(ticket_);
}

void Event::synchronize() const {
  if (queue_ == nullptr) return;
  if (graph_ != 0) eager::refuse_captured_event(*queue_, graph_, "Event::synchronize()");
  device::check_unsafe(queue_->device(), "Event::synchronize() waits for the device");
  queue_->wait(ticket_);
}

StreamGuard::StreamGuard(const Stream& stream) {
  eager::require_same_context(*stream.queue(), core::Context::current(), "StreamGuard");
  eager::thread_state().streams.push_back(stream.queue().get());
}
StreamGuard::~StreamGuard() { eager::thread_state().streams.pop_back(); }

void synchronize(const Place& place) {
  device::Device& device = eager::device_at(place);
  device::check_unsafe(device, "synchronize() waits for the device");
  eager::Queues::instance().synchronize(&device);
}
void synchronize() {
  core::check_environment();
  device::check_unsafe("synchronize() waits for all devices");
  eager::Queues::instance().synchronize(nullptr);
}

FallbackGuard::FallbackGuard(FallbackPolicy policy)
    : outer_(std::exchange(eager::thread_state().fallback, policy)) {}
FallbackGuard::~FallbackGuard() { eager::thread_state().fallback = outer_; }

SerialMode::SerialMode() : previous_(std::exchange(eager::thread_state().is_serial, true)) {}
SerialMode::~SerialMode() { eager::thread_state().is_serial = previous_; }

}  // namespace v0
}  // namespace loci
