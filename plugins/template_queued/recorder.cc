#include "recorder.h"

#include <loci/abi/capture.h>

#include <loci/plugin/error.hpp>
#include <utility>

namespace sample_plugin {
namespace {

const char* default_name(TaskKind kind) {
  switch (kind) {
    case TaskKind::kCopy: return "copy";
    case TaskKind::kFill: return "fill";
    case TaskKind::kKernel: break;
  }
  return "kernel";
}

}  // namespace

void Recorder::begin() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (recording_ != nullptr) {
    throw loci::sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[sample] the stream records already");
  }
  recording_ = std::make_unique<Recording>();
}

void Recorder::annotate(std::string_view op, std::uint64_t item) {
  const std::lock_guard<std::mutex> lock(mutex_);
  require_recording();
  recording_->op = std::string(op);
  recording_->item = item;
}

Tasks Recorder::end() {
  const std::lock_guard<std::mutex> lock(mutex_);
  require_recording();
  const auto recorded = std::exchange(recording_, nullptr);
  if (recorded->refusal.empty()) return std::move(recorded->tasks);
  throw loci::sdk::Error(LOCI_CODE_FAILED,
                         "[sample] the recording is invalid: " + recorded->refusal);
}

void Recorder::abort() {
  const std::lock_guard<std::mutex> lock(mutex_);
  recording_.reset();
}

std::uint32_t Recorder::status() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (recording_ == nullptr) return LOCI_CAPTURE_NONE;
  return recording_->refusal.empty() ? LOCI_CAPTURE_ACTIVE : LOCI_CAPTURE_INVALID;
}

bool Recorder::take(TaskKind kind, std::function<void()>& work) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (recording_ == nullptr) return false;
  const bool is_named = kind == TaskKind::kKernel && !recording_->op.empty();
  recording_->tasks.push_back(
      {kind, is_named ? recording_->op : default_name(kind), recording_->item, std::move(work)});
  return true;
}

void Recorder::require_plain(const char* what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (recording_ != nullptr) refuse(what);
}

void Recorder::require_other_thread(const char* what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (recording_ != nullptr && recording_->thread == std::this_thread::get_id()) refuse(what);
}

void Recorder::refuse(const char* what) {
  recording_->refusal = std::string(what) + " while the stream records";
  throw loci::sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[sample] " + recording_->refusal);
}

void Recorder::require_recording() const {
  if (recording_ != nullptr) return;
  throw loci::sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[sample] the stream does not record");
}

}  // namespace sample_plugin
