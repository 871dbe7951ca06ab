#include "capturer.h"

#include <utility>

#include "plugin.h"

namespace loci::cuda_graph {

Capturer::Capturer(Plugin& plugin, std::uint32_t index, const sdk::NativeHandles& handles)
    : driver_(std::make_shared<const Driver>(index, handles)),
      dots_(plugin.dots()),
      setter_(plugin.settings().cudadevrt) {}

Capturer::~Capturer() {
  bodies_.clear();
  recordings_.clear();
  setter_.unload(*driver_);
}

std::shared_ptr<Recording> Capturer::find(CUstream stream) const {
  const std::lock_guard lock(mutex_);
  const auto found = recordings_.find(stream);
  return found == recordings_.end() ? nullptr : found->second;
}

std::shared_ptr<Recording> Capturer::take(CUstream stream) {
  const std::lock_guard lock(mutex_);
  const auto found = recordings_.find(stream);
  if (found == recordings_.end()) return nullptr;
  auto recording = std::move(found->second);
  recordings_.erase(found);
  std::erase_if(bodies_, [&](const auto& body) { return body.second == recording; });
  return recording;
}

void Capturer::refuse_idle() const {
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[cuda_graph] " + driver_->place() +
                                                   ": the stream does not record; begin first");
}

void Capturer::begin(loci_stream* stream) {
  const CUstream handle = driver_->stream(stream);
  if (find(handle) != nullptr) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[cuda_graph] " + driver_->place() +
                                                     ": the stream records already; end or abort "
                                                     "that first");
  }
  auto recording = std::make_shared<Recording>(driver_, handle, driver_->recording_of(stream));
  const std::lock_guard lock(mutex_);
  recordings_[handle] = std::move(recording);
}

void Capturer::annotate(loci_stream* stream, std::string_view op, std::uint64_t item) {
  const auto recording = find(driver_->stream(stream));
  if (recording == nullptr) refuse_idle();
  recording->announce(op, item);
}

void Capturer::depend(loci_stream* stream, const std::uint64_t* items, std::uint64_t count) {
  const auto recording = find(driver_->stream(stream));
  if (recording == nullptr) refuse_idle();
  recording->depend(items, count);
}

std::unique_ptr<Graph> Capturer::end(loci_stream* stream) {
  const auto recording = take(driver_->stream(stream));
  if (recording == nullptr) refuse_idle();
  auto captured = recording->finish();
  dots_.write(*driver_, *captured);
  return std::make_unique<Graph>(driver_, std::move(captured));
}

void Capturer::abort(loci_stream* stream) {
  if (const auto recording = take(driver_->stream(stream))) recording->abort();
}

std::shared_ptr<Recording> Capturer::recording_around(CUstream stream) const {
  if (auto recording = find(stream)) return recording;
  const std::lock_guard lock(mutex_);
  const auto found = bodies_.find(stream);
  if (found == bodies_.end()) refuse_idle();
  return found->second;
}

void Capturer::begin(RecordedControl::Kind kind, loci_stream* stream, loci_stream* body,
                     const void* condition) {
  const CUstream around = driver_->stream(stream);
  const CUstream within = driver_->stream(body);
  const auto recording = recording_around(around);
  recording->begin(kind, setter_, around, within, driver_->recording_of(body),
                   reinterpret_cast<CUdeviceptr>(condition));
  const std::lock_guard lock(mutex_);
  bodies_[within] = recording;
}

void Capturer::end(RecordedControl::Kind kind, loci_stream* stream) {
  const CUstream around = driver_->stream(stream);
  const CUstream within = recording_around(around)->end(kind, around);
  const std::lock_guard lock(mutex_);
  bodies_.erase(within);
}

void Capturer::loop_begin(loci_stream* stream, loci_stream* body, const void* condition) {
  begin(RecordedControl::Kind::kLoop, stream, body, condition);
}

void Capturer::loop_end(loci_stream* stream) { end(RecordedControl::Kind::kLoop, stream); }

void Capturer::branch_begin(loci_stream* stream, loci_stream* body, const void* condition) {
  begin(RecordedControl::Kind::kBranch, stream, body, condition);
}

void Capturer::branch_else(loci_stream* stream) {
  const CUstream around = driver_->stream(stream);
  recording_around(around)->begin_other(around);
}

void Capturer::branch_end(loci_stream* stream) { end(RecordedControl::Kind::kBranch, stream); }

std::uint32_t Capturer::status(loci_stream* stream) const {
  const CUstream handle = driver_->stream(stream);
  const CurrentContext current(*driver_);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  driver_->check((*driver_)->cuStreamIsCapturing(handle, &status), "looking at a stream");
  switch (status) {
    case CU_STREAM_CAPTURE_STATUS_ACTIVE: return LOCI_CAPTURE_ACTIVE;
    case CU_STREAM_CAPTURE_STATUS_INVALIDATED: return LOCI_CAPTURE_INVALID;
    default: return LOCI_CAPTURE_NONE;
  }
}

}  // namespace loci::cuda_graph
