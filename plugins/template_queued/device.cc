#include "device.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace sample_plugin {
namespace {

constexpr std::uint64_t kAlignment = 256;
constexpr std::uint64_t kMemory = std::uint64_t{4} << 30;

void require_first(std::uint32_t index) {
  if (index == 0) return;
  throw loci::sdk::Error(LOCI_CODE_NOT_FOUND, "[sample] there is one device; use sample:0");
}

void copy_rows(const loci_copy& copy) {
  auto* to = static_cast<char*>(copy.target);
  const auto* from = static_cast<const char*>(copy.source);
  for (std::uint64_t row = 0; row < copy.rows; ++row) {
    std::memcpy(to + row * copy.target_pitch, from + row * copy.source_pitch, copy.row_bytes);
  }
}

}  // namespace

SampleDevice::Stream::Stream(SampleDevice& device)
    : device_(device), queue_(std::make_shared<Queue>()), recorder_(std::make_shared<Recorder>()) {
  const std::lock_guard<std::mutex> lock(device_.mutex_);
  device_.queues_.push_back(queue_);
  device_.recorders_.push_back(recorder_);
}

SampleDevice::Stream::~Stream() {
  const std::lock_guard<std::mutex> lock(device_.mutex_);
  auto& queues = device_.queues_;
  queues.erase(std::find(queues.begin(), queues.end(), queue_));
  auto& recorders = device_.recorders_;
  recorders.erase(std::find(recorders.begin(), recorders.end(), recorder_));
}

void SampleDevice::Stream::enqueue(std::uint64_t correlation, std::function<void()> work,
                                   TaskKind kind) {
  if (recorder_->take(kind, work)) return;
  queue_->add(
      [&device = device_, correlation, work = std::move(work)] { device.run(correlation, work); });
}

bool SampleDevice::Stream::query() {
  require_plain("it is queried");
  return queue_->is_idle();
}

void SampleDevice::Stream::synchronize() {
  require_plain("it is waited for");
  queue_->wait();
}

void SampleDevice::Stream::wait(const Event& event) {
  require_plain("it is made to wait for an event");
  if (auto mark = event.mark()) add([mark] { mark->wait(); });
}

void SampleDevice::Stream::launch_host(loci_host_fn function, void* context, std::uint64_t) {
  require_plain("it is given a function of the host");
  add([function, context] { function(context); });
}

void SampleDevice::Event::record(Stream* stream) {
  stream->require_plain("an event is recorded");
  auto mark = std::make_shared<Mark>();
  const std::lock_guard<std::mutex> lock(mutex_);
  stream->add([mark] { mark->reach(); });
  mark_ = std::move(mark);
}

bool SampleDevice::Event::query() const {
  const auto latest = mark();
  return latest == nullptr || latest->is_reached();
}

void SampleDevice::Event::synchronize() const {
  if (const auto latest = mark()) latest->wait();
}

std::uint64_t SampleDevice::Event::ns_until(const Event& end) const {
  const auto first = mark();
  const auto last = end.mark();
  if (first == nullptr || last == nullptr || !first->is_reached() || !last->is_reached()) {
    throw loci::sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                           "[sample] an event is not recorded and done");
  }
  const auto elapsed = std::chrono::nanoseconds(last->time() - first->time()).count();
  return static_cast<std::uint64_t>(std::max<decltype(elapsed)>(elapsed, 0));
}

std::shared_ptr<Mark> SampleDevice::Event::mark() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return mark_;
}

void SampleDevice::describe(SamplePlugin&, std::uint32_t index, loci_device_info& info) {
  require_first(index);
  info.flags = LOCI_DEVICE_ACCELERATOR;
  info.name = loci::sdk::to_abi("sample");
  info.total_memory = kMemory;
  info.alignment = kAlignment;
  info.min_chunk = kAlignment;
  info.compute_units = 1;
}

std::int64_t SampleDevice::read_fail_task(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && count >= 0;
  if (text.empty() || is_number) return count;
  throw loci::sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                         "[sample] fail_task is '" + std::string(text) + "'; give a count");
}

SampleDevice::SampleDevice(SamplePlugin&, const loci::sdk::Host& host, std::uint32_t index)
    : until_failure_(read_fail_task(host.config("fail_task"))) {
  require_first(index);
}

SampleDevice::~SampleDevice() {
  for (const auto& entry : allocations_) std::free(entry.first);
}

// Usable at once by every stream.
void* SampleDevice::mem_alloc(std::uint32_t kind, std::uint64_t bytes, Stream*) {
  if (kind != LOCI_MEMORY_DEVICE) {
    throw loci::sdk::Error(LOCI_CODE_UNSUPPORTED, "[sample] it has no pinned memory");
  }
  if (bytes > kMemory || used_ + bytes > kMemory) throw std::bad_alloc();
  const std::uint64_t whole = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const std::lock_guard<std::mutex> lock(mutex_);
  void* pointer = std::aligned_alloc(kAlignment, whole);
  if (pointer == nullptr) throw std::bad_alloc();
  try {
    allocations_.emplace(pointer, bytes);
  } catch (...) {
    std::free(pointer);
    throw;
  }
  used_ += bytes;
  return pointer;
}

void SampleDevice::mem_free(std::uint32_t, void* pointer, Stream* stream) {
  if (stream == nullptr) return release(pointer);
  stream->require_plain("memory is freed in its order");
  stream->add([this, pointer] { release(pointer); });
}

void SampleDevice::release(void* pointer) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = allocations_.find(pointer);
  if (found == allocations_.end()) return;
  used_ -= found->second;
  allocations_.erase(found);
  std::free(pointer);
}

void SampleDevice::mem_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) const {
  total_bytes = kMemory;
  free_bytes = kMemory - used_;
}

// The host's memory may change as soon as this returns, unless it says that it has only enqueued.
bool SampleDevice::copy(const loci_copy& copy, Stream* stream) {
  if (copy.source_end == LOCI_END_PEER || copy.target_end == LOCI_END_PEER) {
    throw loci::sdk::Error(LOCI_CODE_UNSUPPORTED, "[sample] it has no peers");
  }
  stream->enqueue(
      copy.correlation, [copy] { copy_rows(copy); }, TaskKind::kCopy);
  const bool with_host = copy.source_end == LOCI_END_HOST || copy.target_end == LOCI_END_HOST;
  if (with_host) stream->synchronize();
  return with_host;
}

void SampleDevice::fill(void* target, std::uint64_t bytes, const void* pattern,
                        std::uint32_t pattern_bytes, Stream* stream, std::uint64_t correlation) {
  std::array<char, 8> kept{};
  std::memcpy(kept.data(), pattern, pattern_bytes);
  const auto write = [=] {
    auto* to = static_cast<char*>(target);
    for (std::uint64_t at = 0; at < bytes; at += pattern_bytes) {
      std::memcpy(to + at, kept.data(), pattern_bytes);
    }
  };
  stream->enqueue(correlation, write, TaskKind::kFill);
}

// Without the lock, which tasks take too; a stream may be destroyed meanwhile.
void SampleDevice::synchronize() {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto queues = queues_;
  const auto recorders = recorders_;
  lock.unlock();
  for (const auto& recorder : recorders) recorder->require_other_thread("the device is waited for");
  for (const auto& queue : queues) queue->wait();
}

void SampleDevice::check_async(std::uint64_t& correlation) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failures_.empty()) return;
  const Failure first = failures_.front();
  failures_.pop_front();
  correlation = first.correlation;
  throw first.error;
}

void* SampleDevice::native_handle(Stream* stream, std::string_view name) {
  if (name == "sample.graphs") return const_cast<GraphFunctions*>(&graph_functions());
  return name == "sample.stream" ? stream : nullptr;
}

void SampleDevice::run(std::uint64_t correlation, const std::function<void()>& work) noexcept {
  try {
    begin_task();
    work();
  } catch (...) {
    keep_failure(correlation);
  }
}

void SampleDevice::begin_task() {
  if (until_failure_ > 0 && until_failure_.fetch_sub(1) == 1) {
    throw std::runtime_error("it fails, as the setting fail_task asks for");
  }
}

// Called while the exception is handled.
void SampleDevice::keep_failure(std::uint64_t correlation) noexcept {
  std::string what = "[sample] a task failed";
  try {
    throw;
  } catch (const std::exception& error) {
    what += std::string(": ") + error.what();
  } catch (...) {
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  failures_.push_back({loci::sdk::Error(LOCI_CODE_FAILED, what), correlation});
}

}  // namespace sample_plugin
