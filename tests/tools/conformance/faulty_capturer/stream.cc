#include "stream.h"

#include <loci/abi/capture.h>

#include <loci/plugin/error.hpp>
#include <utility>

#include "device.h"
#include "tests/tools/conformance/faulty_plugin/fault.h"

namespace loci::faulty {

CapturingStream::CapturingStream(CapturingDevice& device)
    : device_(device), queue_(std::make_unique<StreamQueue>(device.one_queue())) {
  device_.add(*this);
}

CapturingStream::~CapturingStream() { device_.remove(*this); }

bool CapturingStream::query() {
  require_plain("it is queried", "accepts_query");
  return mark().reached();
}

void CapturingStream::synchronize() {
  require_plain("it is waited for", "accepts_synchronize");
  mark().wait();
}

void CapturingStream::wait(CapturingEvent& event) {
  queue_->add([mark = event.latest()] { mark.wait(); });
}

void CapturingStream::add(Node node) {
  if (CapturingStream* other = device_.recorder(); has("records_everything") && other != nullptr) {
    return other->record(std::move(node));
  }
  std::unique_lock lock(mutex_);
  const bool is_recording = recording_ != nullptr;
  const bool is_body = is_recording && recording_->is_body;
  lock.unlock();
  if (is_recording) record(node);
  const bool also_runs =
      has("runs_while_recording") || (has("body_runs_while_recording") && is_body);
  if (is_recording && !also_runs) return;
  queue_->add([&source = device_.source(), node = std::move(node)] {
    const std::uint64_t begin = now_ns();
    node.body(node.arguments);
    source.add(node.work, begin, now_ns());
  });
}

void CapturingStream::record(Node node) {
  const std::lock_guard lock(mutex_);
  if (node.work.kind == LOCI_DEVICE_WORK_KERNEL && !has("nameless_dump")) {
    node.name = recording_->op;
  }
  node.item = recording_->item;
  const bool is_first = std::exchange(recording_->comes_first, false);
  recording_->nodes.insert(is_first ? recording_->nodes.begin() : recording_->nodes.end(),
                           std::move(node));
}

void CapturingStream::refuse(std::string_view what) {
  const std::string message = "[captures] " + std::string(what) + " while the stream records";
  if (!has("forgets_refusal")) recording_->reason = message;
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, message);
}

void CapturingStream::require_plain(std::string_view what, std::string_view fault) {
  const std::lock_guard lock(mutex_);
  if (recording_ != nullptr && !has(fault)) refuse(what);
}

void CapturingStream::begin() {
  static const std::thread::id kFirst = std::this_thread::get_id();
  if (has("records_in_one_thread") && kFirst != std::this_thread::get_id()) {
    throw sdk::Error(LOCI_CODE_FAILED, "[captures] another thread recorded before");
  }
  if (has("one_recording") && device_.recorder() != nullptr && device_.recorder() != this) {
    throw sdk::Error(LOCI_CODE_FAILED, "[captures] another stream records");
  }
  const std::lock_guard lock(mutex_);
  if (recording_ != nullptr && !has("begins_twice")) {
    if (has("begin_twice_spoils")) refuse("another recording begins");
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[captures] the stream records already");
  }
  if (has("begin_drops_work")) queue_->drop();
  recording_ = std::make_unique<Recording>();
  recording_->nodes = std::exchange(left_, {});
}

void CapturingStream::annotate(std::string_view op, std::uint64_t item) {
  const std::lock_guard lock(mutex_);
  if (recording_ == nullptr) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[captures] the stream records nothing");
  }
  if (!recording_->op.empty()) recording_->items.insert(recording_->item);
  recording_->op = op;
  recording_->item = item;
}

void CapturingStream::depend(const std::vector<std::uint64_t>& items) {
  const std::lock_guard lock(mutex_);
  if (recording_ == nullptr) {
    if (has("depends_without_begin")) return;
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[captures] the stream records nothing");
  }
  for (const std::uint64_t item : items) {
    if (recording_->items.count(item) != 0 || has("depends_on_anything")) continue;
    if (has("refused_fork_spoils")) refuse("it depends on what is not there");
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[captures] there is no such item");
  }
  // A graph that is what its last op waits for.
  if (has("forgets_branches") && items.size() == 1 && items.front() > 1) {
    recording_->nodes.erase(recording_->nodes.begin());
  }
  if (has("fork_comes_first") && !items.empty()) recording_->comes_first = true;
}

void CapturingStream::begin_control(bool is_loop, CapturingStream& body, const void* condition) {
  const std::lock_guard lock(mutex_);
  if (recording_ == nullptr) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[captures] the stream records nothing");
  }
  if (recording_->is_body && has("nests_nothing")) {
    throw sdk::Error(LOCI_CODE_FAILED, "[captures] the body of a loop has another one");
  }
  recording_->control = std::make_shared<Control>(Control{is_loop, condition, {}});
  recording_->body = &body;
  body.begin();
  body.recording_->is_body = true;
}

CapturingStream::Recording& CapturingStream::open_control(bool is_loop) {
  const bool is_open = recording_ != nullptr && recording_->control != nullptr &&
                       recording_->control->is_loop == is_loop;
  if (is_open) return *recording_;
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[captures] there is none that began");
}

void CapturingStream::begin_other() {
  const std::lock_guard lock(mutex_);
  Recording& recording = open_control(/*is_loop=*/false);
  recording.control->bodies.push_back(recording.body->end());
  recording.body->begin();
  recording.body->recording_->is_body = true;
}

void CapturingStream::end_control(bool is_loop) {
  const std::lock_guard lock(mutex_);
  if (recording_ != nullptr && recording_->control == nullptr && has("ends_any_loop")) return;
  Recording& recording = open_control(is_loop);
  Control& control = *recording.control;
  if (!is_loop && control.bodies.empty()) {
    if (!has("branch_needs_no_else")) {
      throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[captures] the branch has no other part");
    }
    control.bodies.emplace_back();
  }
  control.bodies.push_back(recording.body->end());
  Node node;
  node.name = recording.op;
  node.item = recording.item;
  node.arguments = {nullptr};
  node.control = std::exchange(recording.control, nullptr);
  recording.nodes.push_back(std::move(node));
}

Nodes CapturingStream::end() {
  const std::lock_guard lock(mutex_);
  if (recording_ == nullptr) {
    if (has("ends_without_begin")) return {};
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[captures] the stream records nothing");
  }
  if (recording_->control != nullptr && !has("forgets_open_loop")) {
    if (!has("keeps_open_body")) recording_->body->abort();
    recording_->reason = "a loop or a branch has not ended";
  }
  const Recording recorded = *recording_;
  const bool is_valid = recorded.reason.empty();
  if (has("leaks_failed_recording") && !is_valid) static_cast<void>(recording_.release());
  if (is_valid || !has("keeps_failed_recording")) recording_.reset();
  if (is_valid) return recorded.nodes;
  throw sdk::Error(LOCI_CODE_FAILED, "[captures] the recording is invalid: " + recorded.reason);
}

void CapturingStream::abort() {
  const std::lock_guard lock(mutex_);
  if (recording_ == nullptr && has("abort_needs_recording")) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[captures] the stream records nothing");
  }
  if (recording_ != nullptr && recording_->control != nullptr) recording_->body->abort();
  if (recording_ != nullptr && has("abort_keeps_nodes")) left_ = recording_->nodes;
  if (has("leaks_aborted_recording")) static_cast<void>(recording_.release());
  if (!has("abort_keeps_recording")) recording_.reset();
}

std::uint32_t CapturingStream::status() {
  const std::lock_guard lock(mutex_);
  if (recording_ == nullptr || has("status_of_none")) return LOCI_CAPTURE_NONE;
  return recording_->reason.empty() ? LOCI_CAPTURE_ACTIVE : LOCI_CAPTURE_INVALID;
}

bool CapturingStream::is_recorded_here() {
  const std::lock_guard lock(mutex_);
  return recording_ != nullptr && recording_->thread == std::this_thread::get_id();
}

}  // namespace loci::faulty
