#include "framework/capture/graph_impl.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "framework/capture/drawing_replay.h"
#include "framework/capture/thread_captures.h"
#include "framework/core/atomic_file.h"
#include "framework/core/log.h"
#include "framework/core/process_end.h"
#include "framework/core/raise.h"
#include "framework/core/steady_time.h"
#include "framework/device/device_manager.h"
#include "framework/eager/queues.h"
#include "framework/eager/thread_state.h"
#include "framework/profiler/parts.h"

namespace loci::capture {
namespace {

device::CaptureMode internal(CaptureMode mode) {
  switch (mode) {
    case CaptureMode::kGlobal: return device::CaptureMode::kGlobal;
    case CaptureMode::kRelaxed: return device::CaptureMode::kRelaxed;
    case CaptureMode::kThreadLocal: break;
  }
  return device::CaptureMode::kThreadLocal;
}

device::Device& device_at(const Place& place) {
  auto& devices = device::DeviceManager::instance();
  return devices.get(devices.resolve(place, Place()));
}

// True if a StreamGuard of the thread names the queue.
bool is_guarded(const eager::ThreadState& thread, const eager::Queue& queue) {
  return std::find(thread.streams.begin(), thread.streams.end(), &queue) != thread.streams.end();
}

}  // namespace

GraphImpl::GraphImpl(const Place& place, const GraphOptions& options)
    : device_(device_at(place)),
      mode_(options.mode),
      splitting_(options.splitting),
      memory_(options.pool.memory()) {
  if (memory_ == nullptr) memory_ = GraphMemory::make();
}

GraphImpl::~GraphImpl() {
  abort();
  end_graph();
}

void GraphImpl::end_graph() noexcept {
  if (graph_ == nullptr) return;
  graph_->wait();
  graph_->give_up();
  graph_->retire();
  graph_.reset();
}

void GraphImpl::end_with_handle(std::unique_ptr<GraphImpl> graph) noexcept {
  if (graph == nullptr || !core::process_is_ending()) return;
  // Its device may be gone: everything stays as it is.
  static std::atomic<GraphImpl*> kept{nullptr};
  GraphImpl* const left = graph.release();
  left->kept_before_ = kept.exchange(left);
}

void GraphImpl::require_current_context(const char* user) const {
  if (use_.is_current()) return;
  core::refuse_other_context(user, fmt::format("a graph at {}", place().to_string()),
                             use_.context(), "enter its context with a ContextGuard");
}

void GraphImpl::begin() {
  require_current_context("capture_begin");
  if (session_ != nullptr || graph_ != nullptr) {
    core::raise(ErrorCode::kInvalidArgument,
                "[capture] capture_begin() of graph {} at {}, which {}; {}", number_,
                place().to_string(), session_ != nullptr ? "is being captured" : "is captured",
                session_ != nullptr ? "end that capture first" : "call reset() first");
  }
  if (ThreadCaptures::of_this_thread().is_watched_by_other()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[capture] capture_begin() within a step that inspect::capture_problems() looks "
                "at, which a graph cannot have; give it the step alone");
  }
  device_.require_reach();
  ThreadCaptures::of_this_thread().remove_ended();
  eager::ThreadState& thread = eager::thread_state();
  eager::Queues& queues = eager::Queues::instance();
  eager::Queue& standard = queues.default_queue(device_);
  eager::Queue& current = eager::current_queue(thread, standard);
  std::shared_ptr<eager::Queue> origin(std::shared_ptr<void>(), &current);
  std::shared_ptr<eager::Queue> own_queue;  // null: the user's is captured
  if (is_guarded(thread, current)) {
    if (&current == &standard) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[capture] the default stream of {} cannot be captured, since others use it too; "
                  "leave its StreamGuard, or give one for a stream of its own",
                  place().to_string());
    }
    if (current.recorder() != nullptr) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[capture] the current stream of {} is being captured by graph {} already; end "
                  "that capture first",
                  place().to_string(), current.recorder()->number());
    }
  } else {
    origin = own_queue = queues.lease(device_);
  }
  number_ = device_graph::next_graph_number();
  begun_ns_ = core::steady_ns();
  session_ = std::make_shared<CaptureSession>(number_, std::move(origin), internal(mode_), memory_);
  session_->open();
  ThreadCaptures::of_this_thread().add(session_, std::move(own_queue));
}

void GraphImpl::end() {
  require_current_context("capture_end");
  if (session_ == nullptr) {
    core::raise(ErrorCode::kInvalidArgument,
                "[capture] capture_end() of a graph at {} without a capture; call capture_begin() "
                "first",
                place().to_string());
  }
  if (mode_ != CaptureMode::kRelaxed && !session_->is_of_this_thread()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[capture] capture_end() of graph {} at {} on another thread than that which began "
                "the capture; end it there, or capture in the mode relaxed",
                number_, place().to_string());
  }
  ThreadCaptures::of_this_thread().remove(session_.get());
  const std::shared_ptr<CaptureSession> session = std::move(session_);
  {
    const profiler::Scope scope(label_of(profiler::Part::kCaptureGraph));
    graph_ = session->finish(splitting_);
  }
  capture_ns_ = core::steady_ns() - begun_ns_;
  replays_ = 0;
  if (graph_->list.size() != 0) return;
  core::log(core::Module::kCapture, core::Level::kWarn,
            "graph {} at {} is empty: nothing was given to that place between capture_begin() and "
            "capture_end()",
            number_, place().to_string());
}

void GraphImpl::abort() noexcept {
  if (session_ == nullptr) return;
  ThreadCaptures::of_this_thread().remove(session_.get());
  session_->abandon();
  session_.reset();
}

void GraphImpl::replay(eager::Queue* queue, const void* site) {
  require_current_context("replay");
  if (graph_ == nullptr) {
    core::raise(ErrorCode::kInvalidArgument, "[replay] the graph at {} {}", place().to_string(),
                session_ != nullptr ? "is still being captured; call capture_end() first"
                                    : "is not captured, or was reset; capture it first");
  }
  if (queue == nullptr) {
    queue = &eager::current_queue(eager::thread_state(),
                                  eager::Queues::instance().default_queue(device_));
  } else if (&queue->device() != &device_) {
    core::raise(ErrorCode::kInvalidArgument,
                "[replay] graph {} is of {}, and the stream of {}; give a stream of the graph's "
                "place",
                number_, place().to_string(), queue->device().place().to_string());
  }
  if (const auto recorder = queue->recorder()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[replay] graph {} at {} is replayed within the capture of graph {}; replay it "
                "before or after",
                number_, place().to_string(), recorder->number());
  }
  graph_->prepare_replay(replays_);
  eager::Task task;
  task.batch = graph_;
  if (graph_->draws > 0) {
    const auto position = eager::Generator::instance().take(graph_->draws);
    // Control flow takes a number also where nothing is drawn in it.
    const bool draws = graph_->random_state.defined();
    if (draws) task.batch = std::make_shared<DrawingReplay>(graph_, position);
  }
  task.site = site;
  queue->submit(task);
  ++replays_;
  graph_->gradients.leave();
  if (eager::thread_state().is_serial) queue->synchronize();
}

void GraphImpl::reset() {
  require_current_context("reset");
  if (session_ != nullptr) {
    core::raise(ErrorCode::kInvalidArgument,
                "[capture] reset() of graph {} at {}, which is being captured; call capture_end() "
                "or abort() first",
                number_, place().to_string());
  }
  if (graph_ == nullptr) return;
  end_graph();
  memory_ = memory_.use_count() == 1 ? GraphMemory::make() : memory_;
  replays_ = 0;
  capture_ns_ = 0;
}

GraphStats GraphImpl::stats() const {
  GraphStats stats;
  if (graph_ == nullptr) return stats;
  stats.launches = graph_->list.launches();
  stats.copies = graph_->list.copies();
  stats.host_functions = graph_->list.host_functions();
  stats.program_runs = graph_->runs.size();
  stats.inputs = graph_->outside.count_used();
  for (const auto& run : graph_->runs) stats.inputs += run->plan().persistables.size();
  stats.outputs = graph_->outputs.size();
  stats.peak_bytes = graph_->peak_bytes;
  stats.replays = replays_;
  stats.capture_ns = capture_ns_;
  stats.segments = graph_->native.segments();
  const device_graph::Exchanges& exchanges = graph_->native.exchanges();
  stats.patches = exchanges.patches;
  stats.recaptures = exchanges.recaptures;
  stats.reinstantiations = exchanges.reinstantiations;
  return stats;
}

void GraphImpl::print(const std::string& prefix) const {
  if (graph_ == nullptr) {
    core::raise(ErrorCode::kInvalidArgument,
                "[capture] print_to_dot_files() of a graph at {} that is not captured; capture it "
                "first",
                place().to_string());
  }
  write_dot_file(*graph_, prefix + ".dot");
  core::AtomicFile file(prefix + ".segments.txt");
  const std::string text = graph_->native.dump();
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace loci::capture
