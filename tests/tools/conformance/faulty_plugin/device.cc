#include "device.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "fault.h"
#include "plugin.h"

namespace loci::faulty {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kTotal = std::uint64_t{1} << 30;
constexpr std::uint64_t kFewAllocations = 16;
constexpr std::uint64_t kScratch = 100;
constexpr std::uint64_t kLeak = std::uint64_t{1} << 20;
constexpr int kTasksToTheLoss = 300;

std::uint32_t device_count() {
  return has("bad_second_device") || has("second_device_hangs") || has("leak_refused_copy") ? 2 : 1;
}

// The least that a device may be, by what it states.
bool is_narrow() { return has("narrow"); }

// 0: any number.
std::uint64_t most_allocations() {
  if (has("has_fewer_allocations")) return kFewAllocations / 2;
  return is_narrow() ? kFewAllocations : 0;
}

[[noreturn]] void hang() {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

void require_index(std::uint32_t index) {
  if (index >= device_count()) {
    throw sdk::Error(LOCI_CODE_NOT_FOUND, "[faulty] there is no device " + std::to_string(index));
  }
}

// The fault dies sets this: no device of the process works any more.
std::atomic<bool> is_dead{false};

// The fault loses_device counts this: tasks that are done before the device is lost.
std::atomic<int> until_loss{kTasksToTheLoss};

// Where the compiler cannot leave the allocation out.
std::vector<char>* volatile leaked_by_work = nullptr;

// The fault keeps_work_of_thread keeps this: what the thread gives to a stream's queue with its
// next task, or when it asks for a mark.
struct Kept {
  StreamQueue* queue = nullptr;
  std::function<void()> task;
};
thread_local Kept kept;

// Where the compiler cannot leave the allocation out.
char* volatile leaked_little = nullptr;
void leak_little() { leaked_little = new char[40]; }

// The fault thread_at_load starts this.
struct LoadedThread {
  LoadedThread() {
    if (has("thread_at_load")) std::thread([] { hang(); }).detach();
  }
};
const LoadedThread loaded_thread;

bool is_lost() { return has("loses_device") && until_loss <= 0; }

void require_alive() {
  if (is_dead) throw sdk::Error(LOCI_CODE_UNAVAILABLE, "[faulty] the device is dead");
}

bool comes_due(std::atomic<int>& countdown) { return countdown > 0 && --countdown == 0; }

// A process that outlives its parent, but not a test that fails.
void leave_process() {
  const pid_t child = ::fork();
  if (child != 0) return;
  ::alarm(60);
  for (;;) ::pause();
}

void copy_rows(const loci_copy& copy) {
  for (std::uint64_t row = 0; row < copy.rows; ++row) {
    const bool flat = copy.rows == 1 || has("ignores_pitch");
    const std::uint64_t from = row * (flat ? copy.row_bytes : copy.source_pitch);
    const std::uint64_t to = row * (flat ? copy.row_bytes : copy.target_pitch);
    const std::uint64_t bytes =
        has("short_copy") ? copy.row_bytes & ~std::uint64_t{3} : copy.row_bytes;
    if (bytes > 0) {
      std::memcpy(static_cast<char*>(copy.target) + to,
                  static_cast<const char*>(copy.source) + from, bytes);
    }
  }
}

std::uint32_t direction_of(const loci_copy& copy) {
  if (copy.source_end != LOCI_END_DEVICE) return LOCI_COPY_HOST_TO_DEVICE;
  return copy.target_end == LOCI_END_DEVICE ? LOCI_COPY_DEVICE_TO_DEVICE : LOCI_COPY_DEVICE_TO_HOST;
}

}  // namespace

Device::Stream::Stream(Device& device)
    : device_(device), queue_(std::make_unique<StreamQueue>(device.one_queue_)) {
  const std::lock_guard lock(device_.mutex_);
  device_.streams_.insert(this);
}

Device::Stream::~Stream() {
  {
    const std::lock_guard lock(device_.mutex_);
    device_.streams_.erase(this);
  }
  if (has("leak_thread")) static_cast<void>(queue_.release());
  if (has("drops_work")) queue_->drop();
  add_kept();
}

void Device::Stream::run(std::function<void()> task) {
  require_alive();
  --until_loss;
  if (!device_.fails_now() && !is_lost()) return add(std::move(task));
  add([this] {
    if (!has("swallows_failure")) device_.keep_failure();
  });
}

// One of two threads at a time finds the place taken where the other one puts its task.
void Device::Stream::add(std::function<void()> task) {
  if (has("keeps_work_of_thread")) return add_later(std::move(task));
  if (!has("stream_of_one_thread")) return queue_->add(std::move(task));
  const bool was_used = is_used_.exchange(true);
  std::this_thread::sleep_for(std::chrono::microseconds(10));
  if (!was_used) queue_->add(std::move(task));
  is_used_ = false;
}

void Device::Stream::add_later(std::function<void()> task) {
  add_kept();
  kept = {queue_.get(), std::move(task)};
}

void Device::Stream::add_kept() {
  if (kept.queue != nullptr) kept.queue->add(std::move(kept.task));
  kept = {};
}

Mark Device::Stream::mark() {
  add_kept();
  return queue_->mark();
}

void Device::Stream::run(const Work& work, std::function<void()> task) {
  const bool is_lazy = device_.is_broken() && work.kind != LOCI_DEVICE_WORK_COPY;
  run([&source = device_.source_, work, is_lazy, task = std::move(task)] {
    const std::uint64_t begin = now_ns();
    if (!is_lazy) task();
    source.add(work, begin, now_ns());
  });
}

bool Device::Stream::query() {
  if (has("leak_errors_of_query")) {
    const loci_host_api& host = device_.host_.api();
    host.error_make(host.host, LOCI_CODE_FAILED, sdk::to_abi("not done yet"), nullptr);
  }
  return mark().reached();
}

void Device::Stream::synchronize() {
  if (!has("no_synchronize")) mark().wait();
}

void Device::Stream::wait(Event& event) {
  add_kept();
  queue_->add(event.wait_task());
}

void Device::Stream::launch_host(loci_host_fn function, void* context, std::uint64_t) {
  if (has("early_host_function")) return function(context);
  add_kept();
  queue_->add([=] { function(context); });
  if (has("host_function_twice")) queue_->add([=] { function(context); });
}

std::uint32_t Device::count(FaultyPlugin& plugin) {
  return device_count() + (has("count_grows") ? plugin.opened() : 0);
}

void Device::describe(FaultyPlugin&, std::uint32_t index, loci_device_info& info) {
  require_index(index);
  info.flags = LOCI_DEVICE_ACCELERATOR;
  const bool says_one_queue = is_narrow() || has("claims_one_queue");
  if (says_one_queue) info.flags |= LOCI_DEVICE_ONE_QUEUE;
  const bool says_few = is_narrow() || has("has_fewer_allocations") || has("has_more_allocations");
  if (says_few) info.max_allocations = kFewAllocations;
  info.name = sdk::to_abi("faulty");
  info.total_memory = kTotal;
  info.alignment = has("small_alignment") ? 16 : kAlignment;
  info.min_chunk = kAlignment;
  info.greatest_priority = has("wrong_priorities") ? 1 : 0;
}

Device::Device(FaultyPlugin& plugin, const sdk::Host& host, std::uint32_t index)
    : host_(host),
      source_(plugin.profile_source()),
      scratch_(nullptr),
      index_(index),
      until_failed_alloc_(plugin.failing().alloc),
      until_failed_copy_(plugin.failing().copy),
      until_failure_(plugin.failing().task) {
  if (!has("any_device")) require_index(index);
  require_alive();
  plugin.note_open();
  if (is_narrow() || has("hides_one_queue")) one_queue_ = std::make_shared<TaskQueue>();
  if (has("second_device_hangs") && index > 0) hang();
  if (has("leaves_process")) leave_process();
  if (has("leak_heap")) static_cast<void>(new std::vector<char>(1000));
  if (has("trusts_host_memory")) {
    scratch_ = host.api().memory_alloc(host.api().host, kScratch, kAlignment);
  } else {
    scratch_ = host.allocate(kScratch, kAlignment);
  }
  std::memset(scratch_, 0, kScratch);
}

Device::~Device() {
  if (has("crash_in_close")) std::raise(SIGSEGV);
  if (!has("leak_host_memory")) host_.free(scratch_);
}

void* Device::mem_alloc(std::uint32_t kind, std::uint64_t bytes, Stream*) {
  if (kind != LOCI_MEMORY_DEVICE) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "[faulty] there is no pinned memory");
  }
  if (comes_due(until_failed_alloc_)) {
    if (has("leak_failed_allocation_on_device")) used_ += kLeak;
    if (has("leak_failed_allocation")) static_cast<void>(host_.allocate(kScratch, kAlignment));
    throw sdk::Error(LOCI_CODE_OUT_OF_MEMORY, "[faulty] mem_alloc fails, as it was asked to");
  }
  if (bytes > kTotal - used_) {
    if (has("leak_refused_allocation_on_device")) used_ += kLeak;
    if (has("leak_refused_allocation")) static_cast<void>(host_.allocate(kScratch, kAlignment));
    throw sdk::Error(has("wrong_code") ? LOCI_CODE_FAILED : LOCI_CODE_OUT_OF_MEMORY,
                     "[faulty] there is not so much memory");
  }
  const std::uint64_t shift = has("misaligned") ? 8 : 0;
  void* memory = std::aligned_alloc(kAlignment, (bytes + kAlignment) / kAlignment * kAlignment);
  if (memory == nullptr) throw std::bad_alloc();
  void* pointer = static_cast<char*>(memory) + shift;
  const std::lock_guard lock(mutex_);
  if (most_allocations() > 0 && sizes_.size() >= most_allocations()) {
    std::free(memory);
    throw sdk::Error(LOCI_CODE_OUT_OF_MEMORY, "[faulty] all handles are in use");
  }
  sizes_.emplace(pointer, bytes);
  used_ += bytes;
  return pointer;
}

void Device::mem_free(std::uint32_t, void* pointer, Stream* stream) {
  const auto finish = [this, pointer] {
    const std::lock_guard lock(mutex_);
    if (!has("leak_device_memory")) used_ -= sizes_[pointer];
    sizes_.erase(pointer);
    std::free(static_cast<char*>(pointer) - (has("misaligned") ? 8 : 0));
  };
  if (stream == nullptr) return finish();
  stream->run(finish);
}

void Device::mem_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) const {
  total_bytes = kTotal;
  free_bytes = kTotal - used_;
}

bool Device::copy(const loci_copy& copy, Stream* stream) {
  const bool on_device = copy.source_end == LOCI_END_DEVICE && copy.target_end == LOCI_END_DEVICE;
  if (has("dies") && copy.rows > 1) is_dead = true;
  require_alive();
  if (has("leak_refused_copy") && copy.peer != nullptr) {
    leak_little();
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "[faulty] it has no peers");
  }
  if (comes_due(until_failed_copy_)) {
    if (has("leak_failed_copy")) used_ += copy.row_bytes;
    if (has("leak_part_of_failed_copy")) used_ += kLeak;
    if (has("leak_little_of_failed_copy")) leak_little();
    throw sdk::Error(LOCI_CODE_FAILED, "[faulty] a copy fails, as it was asked to");
  }
  if (!on_device && has("copy_ignores_stream")) {
    copy_rows(copy);
    return true;
  }
  stream->run(
      {LOCI_DEVICE_WORK_COPY, direction_of(copy), copy.rows * copy.row_bytes, copy.correlation},
      [copy] { copy_rows(copy); });
  if (has("claims_waited_to_host") && copy.target_end == LOCI_END_HOST) return true;
  if (!on_device) stream->mark().wait();
  return !on_device || has("claims_waited_on_device");
}

void Device::fill(void* target, std::uint64_t bytes, const void* pattern,
                  std::uint32_t pattern_bytes, Stream* stream, std::uint64_t correlation) {
  const std::vector<char> kept(static_cast<const char*>(pattern),
                               static_cast<const char*>(pattern) + pattern_bytes);
  stream->run({LOCI_DEVICE_WORK_FILL, LOCI_COPY_UNKNOWN, bytes, correlation}, [=] {
    const std::uint64_t step = has("short_fill") && kept.size() == 8 ? 4 : kept.size();
    for (std::uint64_t i = 0; i < bytes; i += kept.size()) {
      std::memcpy(static_cast<char*>(target) + i, kept.data(), step);
    }
  });
}

void Device::synchronize() {
  std::vector<Mark> marks;
  {
    const std::lock_guard lock(mutex_);
    for (Stream* stream : streams_) marks.push_back(stream->mark());
  }
  if (has("no_device_synchronize")) marks.clear();
  for (const Mark& mark : marks) mark.wait();
}

bool Device::fails_now() { return comes_due(until_failure_); }

bool Device::is_broken() const { return has("bad_second_device") && index_ > 0; }

void Device::keep_failure() {
  failed_ = true;
  if (has("leak_failed_work_on_device")) used_ += kLeak;
  if (has("leak_failed_work")) leaked_by_work = new std::vector<char>(kLeak);
}

void Device::check_async() {
  if (is_lost()) throw sdk::Error(LOCI_CODE_DEVICE_LOST, "[faulty] it fell off the bus");
  const bool failed = has("failure_told_twice") ? failed_.load() : failed_.exchange(false);
  if (failed) throw sdk::Error(LOCI_CODE_FAILED, "[faulty] a task failed, as it was asked to");
}

void Event::record(Device::Stream* stream) {
  if (has("leak_record")) leak_little();
  auto time = std::make_shared<std::atomic<std::uint64_t>>(0);
  stream->run([time] { *time = now_ns(); });
  const std::lock_guard lock(latest_->mutex);
  latest_->mark = stream->mark();
  latest_->time = time;
}

Mark Event::latest() const {
  const std::lock_guard lock(latest_->mutex);
  return latest_->mark;
}

bool Event::query() { return has("early_event") || latest().reached(); }

void Event::synchronize() {
  if (has("hang")) hang();
  latest().wait();
}

std::function<void()> Event::wait_task() {
  if (has("no_wait")) return [] {};
  if (has("late_wait")) {
    return [live = latest_] {
      std::unique_lock lock(live->mutex);
      const Mark mark = live->mark;
      lock.unlock();
      mark.wait();
    };
  }
  return [mark = latest()] { mark.wait(); };
}

std::uint64_t Event::ns_until(Event& end) {
  if (latest().progress == nullptr || end.latest().progress == nullptr) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[faulty] an event was never recorded");
  }
  const std::uint64_t ns = *end.latest_->time - *latest_->time;
  return has("short_event_time") ? ns / 1000 : ns;
}

}  // namespace loci::faulty
