#include "tools/cuda_double/cupti/buffers.h"

#include <unistd.h>

#include <cstring>
#include <thread>
#include <utility>

#include "tools/cuda_double/driver/activity.h"

namespace loci::cupti_double {
namespace {

constexpr unsigned kPercent = 100;

}  // namespace

void Buffers::set_callbacks(CUpti_BuffersCallbackRequestFunc request,
                            CUpti_BuffersCallbackCompleteFunc complete) {
  const std::lock_guard lock(mutex_);
  // Never joined: it may be inside the client when the process ends.
  if (request_ == nullptr) std::thread([this] { work(); }).detach();
  request_ = request;
  complete_ = complete;
}

bool Buffers::has_callbacks() {
  const std::lock_guard lock(mutex_);
  return request_ != nullptr;
}

void Buffers::add(const void* record, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (request_ == nullptr) return;
  if (drops_next()) {
    ++dropped_;
    return;
  }
  if (!has_room(bytes)) {
    retire();
    ask_client();
  }
  if (!has_room(bytes)) {
    ++dropped_;
    return;
  }
  put(record, bytes);
}

void Buffers::ask_client() {
  CUpti_ActivityOverhead3 cost{};
  cost.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  cost.overheadKind = CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST;
  cost.objectKind = CUPTI_ACTIVITY_OBJECT_PROCESS;
  cost.objectId.pt.processId = static_cast<std::uint32_t>(getpid());
  cost.start = loci_cuda_double_time_ns();
  request_(&current_.bytes, &current_.size, &current_.most_records);
  cost.end = loci_cuda_double_time_ns();
  if (current_.bytes == nullptr) current_ = {};
  if (tells_overhead_ && has_room(sizeof cost)) put(&cost, sizeof cost);
}

void Buffers::put(const void* record, std::size_t bytes) {
  std::memcpy(current_.bytes + current_.used, record, bytes);
  current_.used += bytes;
  ++current_.records;
}

void Buffers::flush() {
  std::unique_lock lock(mutex_);
  retire();
  while (!full_.empty()) give_back(lock);
  changed_.wait(lock, [this] { return giving_back_ == 0; });
}

std::size_t Buffers::take_dropped() {
  const std::lock_guard lock(mutex_);
  return std::exchange(dropped_, 0);
}

void Buffers::tell_overhead(bool tells) {
  const std::lock_guard lock(mutex_);
  tells_overhead_ = tells;
}

bool Buffers::drops_next() {
  towards_drop_ += drop_percent_;
  if (towards_drop_ < kPercent) return false;
  towards_drop_ -= kPercent;
  return true;
}

bool Buffers::has_room(std::size_t bytes) const {
  const bool is_counted_out =
      current_.most_records != 0 && current_.records == current_.most_records;
  return bytes <= current_.size - current_.used && !is_counted_out;
}

void Buffers::retire() {
  if (current_.bytes != nullptr) full_.push_back(current_);
  current_ = {};
  changed_.notify_all();
}

void Buffers::give_back(std::unique_lock<std::mutex>& lock) {
  const Buffer buffer = full_.front();
  full_.pop_front();
  ++giving_back_;
  const auto complete = complete_;
  lock.unlock();
  complete(nullptr, 0, buffer.bytes, buffer.size, buffer.used);
  lock.lock();
  --giving_back_;
  changed_.notify_all();
}

void Buffers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !full_.empty(); });
    give_back(lock);
  }
}

}  // namespace loci::cupti_double
