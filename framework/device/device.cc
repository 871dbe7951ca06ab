#include "framework/device/device.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <utility>

#include "framework/core/abi/error.h"
#include "framework/core/calls_at_end.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/device/call_name.h"
#include "framework/device/required_functions.h"
#include "framework/device/stream.h"
#include "framework/plugin/foreign_call.h"

namespace loci::device {
namespace {

// Closes the device. An error is logged, as nothing can be done about a device that is gone.
void close_device(const device::DeviceBackend& backend, const Place& place,
                  loci_device* device) noexcept {
  try {
    plugin::blaming(*backend.plugin, [&] {
      return plugin::call_plugin(call_name("close", place), [&] {
        backend.api.close(device);
        return 0;
      });
    });
  } catch (const std::exception& error) {
    core::log(core::Module::kDevice, core::Level::kError, "{}", error.what());
  }
}

}  // namespace

Device::Device(const device::DeviceBackend& backend, const Place& place)
    : backend_(&backend), place_(place.type(), place.index()) {
  (void)failure_without_memory();  // while there is some
  require_opening(backend);
  info_ = read_device_info(backend, place_);
  if (!uses_host_memory()) require_memory(backend);
  const bool has_streams = api().stream_create != nullptr;
  if (has_streams || !is_inline()) require_streams(backend);

  open();
  plugin().retain();
  try {
    if (has_streams) default_stream_ = std::make_unique<Stream>(*this);
  } catch (...) {
    close_device(backend, place_, handle_);
    plugin().release();
    throw;
  }
}

Device::~Device() {
  // Memory goes back in the order of the streams, so before them.
  resident_.store(nullptr, std::memory_order_release);
  owned_resident_.reset();
  if (!is_closed_.load(std::memory_order_relaxed)) close();
}

void Device::close() noexcept {
  further_streams_.clear();
  default_stream_.reset();
  close_device(*backend_, place_, handle_);
  is_closed_.store(true, std::memory_order_release);
  plugin().release();
}

void Device::release_kept_memory() noexcept {
  if (!loss_.is_lost() || is_out_of_reach()) return;
  if (Resident* present = resident_.load(std::memory_order_acquire)) present->device_lost();
}

void Device::close_if_unused() noexcept {
  if (!loss_.is_lost() || is_out_of_reach()) return;
  std::int64_t own = default_stream_ == nullptr ? 0 : 1;
  {
    const std::lock_guard lock(streams_mutex_);
    for (const std::unique_ptr<Stream>& stream : further_streams_) own += stream == nullptr ? 0 : 1;
  }
  if (uses_.load(std::memory_order_acquire) == own) close();
}

void Device::open() {
  loci_error* error = plugin::blaming(plugin(), [this] {
    return plugin::call_plugin(call_name("open", place_), [this] {
      return api().open(plugin().handle(), static_cast<std::uint32_t>(place_.index()), &handle_);
    });
  });
  check(error, "opening it");
}

loci_stream* Device::default_stream() const {
  return default_stream_ == nullptr ? nullptr : default_stream_->handle();
}

loci_stream* Device::stream(std::size_t number) {
  if (number == 0) return default_stream();
  const std::lock_guard lock(streams_mutex_);
  if (further_streams_.size() < number) further_streams_.resize(number);
  std::unique_ptr<Stream>& stream = further_streams_[number - 1];
  if (stream == nullptr) stream = std::make_unique<Stream>(*this);
  return stream->handle();
}

void* Device::allocate(std::uint64_t bytes, loci_stream* stream) {
  require_reach();
  void* pointer = nullptr;
  loci_error* error = api().mem_alloc(handle_, LOCI_MEMORY_DEVICE, bytes, stream, &pointer);
  if (error != nullptr) fail(error, fmt::format("allocating {} bytes", bytes));
  plugin().retain();
  begin_use();
  return pointer;
}

void Device::deallocate(void* pointer, loci_stream* stream) noexcept {
  if (is_out_of_reach()) return;
  try {
    check(api().mem_free(handle_, LOCI_MEMORY_DEVICE, pointer, stream), "freeing memory");
  } catch (const Error& error) {
    const auto level = loss_.is_lost() ? core::Level::kDebug : core::Level::kError;
    core::log(core::Module::kDevice, level, "{}", error.what());
  }
  plugin().release();
  end_use();
}

std::uint64_t Device::free_memory() const noexcept {
  if (api().mem_info == nullptr || is_out_of_reach() || loss_.is_lost()) return 0;
  std::uint64_t free = 0;
  std::uint64_t total = 0;
  try {
    loci_error* error = plugin::blaming(plugin(), [&] {
      return plugin::call_plugin(call_name("mem_info", place_),
                                 [&] { return api().mem_info(handle_, &free, &total); });
    });
    check(error, "asking for its free memory");
  } catch (const Error& error) {
    core::log(core::Module::kDevice, core::Level::kWarn, "{}", error.what());
    return 0;
  } catch (const std::bad_alloc&) {
    return 0;  // there is no room to ask
  }
  return free;
}

bool Device::copy(std::uint32_t source_end, const void* source, std::uint32_t target_end,
                  void* target, std::uint64_t bytes, loci_stream* stream, std::uint64_t correlation,
                  Device* peer) {
  require_reach();
  if (peer != nullptr) peer->require_reach();
  const loci_copy flat{.struct_size = sizeof(loci_copy),
                       .source_end = source_end,
                       .target_end = target_end,
                       .source = source,
                       .target = target,
                       .row_bytes = bytes,
                       .rows = 1,
                       .source_pitch = bytes,
                       .target_pitch = bytes,
                       .peer = peer == nullptr ? nullptr : peer->handle(),
                       .correlation = correlation};
  // Such a copy may wait for the stream within the plugin, where no limit reaches it.
  const bool has_host = source_end == LOCI_END_HOST || target_end == LOCI_END_HOST;
  const bool waits = has_host && stream != nullptr && sync_limit();
  if (waits) synchronize_stream(stream);
  std::uint32_t blocked = 0;
  loci_error* error = api().copy(handle_, &flat, stream, &blocked);
  if (error != nullptr) fail_copy(error, bytes, peer);
  return waits || blocked != 0;
}

void Device::launch_host(loci_stream* stream, loci_host_fn function, void* context,
                         std::uint64_t correlation) {
  require_reach();
  check(api().launch_host(stream, function, context, correlation), "launching a host function");
}

void Device::synchronize_stream(loci_stream* stream, UnprovenWork* asker, std::uint64_t up_to) {
  try {
    require_reach();
    if (stream != nullptr) await_stream(stream);
  } catch (const Error& error) {
    if (stream == nullptr && !loss_.is_lost()) throw;
    throw fail_work(error, asker)->error;
  }
  check_async_error(asker, up_to);
}

bool Device::is_done(loci_stream* stream) const {
  std::uint32_t done = 0;
  check(api().stream_query(stream, &done), "querying a stream");
  return done != 0;
}

void Device::await_stream(loci_stream* stream) {
  keep_limit(stream, [&] { return is_done(stream); });
  check_wait(api().stream_synchronize(stream), stream);
}

std::string Device::name_of(loci_stream* stream) {
  if (stream == default_stream()) return "its default stream";
  const std::lock_guard lock(streams_mutex_);
  for (std::size_t i = 0; i < further_streams_.size(); ++i) {
    if (further_streams_[i] != nullptr && further_streams_[i]->handle() == stream) {
      return fmt::format("its stream {}", i + 1);
    }
  }
  return "a stream besides its default one";
}

void Device::synchronize() {
  require_reach();
  if (sync_limit()) keep_limit_of_all_streams();
  if (api().synchronize != nullptr) check(api().synchronize(handle_), "waiting for its work");
  check_async_error();
}

// Each by itself, as no function asks for all of them.
void Device::keep_limit_of_all_streams() {
  std::vector<loci_stream*> streams;
  {
    const std::lock_guard lock(live_streams_mutex_);
    streams = live_streams_;
  }
  const auto has_ended = [this](loci_stream* stream) {
    const std::lock_guard lock(live_streams_mutex_);
    const bool lives =
        std::find(live_streams_.begin(), live_streams_.end(), stream) != live_streams_.end();
    return !lives || is_done(stream);
  };
  for (loci_stream* stream : streams) {
    keep_limit(stream, [&] { return has_ended(stream); });
  }
}

void Device::give_up(loci_stream* stream, std::chrono::seconds limit) {
  const std::string by = fmt::format(
      "the work in {} has not come to an end within {} s (LOCI_SYNC_TIMEOUT), so that it is not "
      "touched any more",
      name_of(stream), limit.count());
  if (loss_.set(Loss::Kind::kHung, by)) plugin().abandon();
  loss_.refuse(place_);
}

void Device::note_loss(const Error& error) const noexcept {
  if (error.code() == ErrorCode::kDeviceLost) loss_.set(Loss::Kind::kTold, error.what());
}

void Device::check_async_error(UnprovenWork* asker, std::uint64_t up_to) {
  if (is_left()) refuse_out_of_reach();
  std::shared_ptr<Failure> first;
  const std::lock_guard lock(work_mutex_);
  try {
    require_reach();
  } catch (const Error& error) {
    if (!loss_.is_lost()) throw;
    throw fail_all(error, asker)->error;
  }
  std::uint64_t correlation = 0;
  bool is_silent = true;
  while (const std::optional<Error> error = take_async_error(&correlation)) {
    is_silent = false;
    UnprovenWork* owner = owner_of(correlation);
    const std::shared_ptr<Failure> failure =
        owner == nullptr ? fail_all(*error, asker) : fail_owner(*error, *owner, correlation);
    const bool is_anothers = owner != nullptr && owner != asker;
    if (first == nullptr && !is_anothers) first = failure;
    // It stands for all there is; and a lost device says it every time.
    if (correlation == 0 || loss_.is_lost()) break;
  }
  if (first != nullptr) throw first->error;
  if (is_silent && asker != nullptr) asker->confirm(up_to);
}

std::optional<Error> Device::take_async_error(std::uint64_t* correlation) {
  if (api().take_async_error == nullptr) return std::nullopt;
  try {
    check(api().take_async_error(handle_, correlation), "running its work");
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return failure_without_memory()->error;  // the device has told of it, and does so once
  }
  return std::nullopt;
}

UnprovenWork* Device::owner_of(std::uint64_t correlation) const {
  if (correlation == 0) return nullptr;
  const auto owner = std::find_if(works_.begin(), works_.end(),
                                  [&](const UnprovenWork* work) { return work->has(correlation); });
  return owner == works_.end() ? nullptr : *owner;
}

namespace {

// The error with what `owners` gives, a text that says whose it may be.
template <class Owners>
std::shared_ptr<Failure> make_failure(const Error& error, const Owners& owners) {
  try {
    return std::make_shared<Failure>(Error(error.code(), error.what() + owners(), error.details()));
  } catch (const std::bad_alloc&) {
    return failure_without_memory();
  }
}

}  // namespace

std::shared_ptr<Failure> Device::fail_work(const Error& error, const UnprovenWork* asker) {
  if (is_left()) return failure_of(error);
  const std::lock_guard lock(work_mutex_);
  if (error.code() != ErrorCode::kDeviceLost || is_out_of_reach()) return fail_all(error, asker);
  // The device may still know which work it was lost by; all other work is lost as well.
  std::uint64_t correlation = 0;
  const std::optional<Error> told = take_async_error(&correlation);
  const UnprovenWork* owner = told ? owner_of(correlation) : nullptr;
  if (owner == nullptr) return fail_all(error, asker);
  std::shared_ptr<Failure> failure =
      make_failure(error, [&] { return "; it is " + owner->describe(correlation); });
  for (UnprovenWork* work : works_) work->fail(failure, 0);
  return failure;
}

std::shared_ptr<Failure> Device::fail_all(const Error& error, const UnprovenWork* asker) {
  std::shared_ptr<Failure> failure = make_failure(error, [&] {
    std::string candidates = asker == nullptr ? std::string() : asker->describe(0);
    if (!candidates.empty()) candidates.insert(0, "; it is ");
    for (const UnprovenWork* work : works_) {
      const std::string text = work == asker ? std::string() : work->describe(0);
      if (!text.empty()) candidates += (candidates.empty() ? "; it is " : ", or ") + text;
    }
    return candidates;
  });
  for (UnprovenWork* work : works_) work->fail(failure, 0);
  return failure;
}

std::shared_ptr<Failure> Device::fail_owner(const Error& error, UnprovenWork& owner,
                                            std::uint64_t correlation) {
  std::shared_ptr<Failure> failure =
      make_failure(error, [&] { return "; it is " + owner.describe(correlation); });
  owner.fail(failure, correlation);
  for (UnprovenWork* work : works_) {
    if (work != &owner && work->may_use(owner)) work->fail(failure, 0);
  }
  return failure;
}

void Device::enter_work(UnprovenWork& work) {
  const std::lock_guard lock(work_mutex_);
  works_.push_back(&work);
}

void Device::leave_work(UnprovenWork& work) {
  const std::lock_guard lock(work_mutex_);
  works_.erase(std::remove(works_.begin(), works_.end(), &work), works_.end());
}

void Device::refuse_out_of_reach() const {
  if (loss_.is_lost()) loss_.refuse(place_);
  if (!is_of_parent_.load()) {
    core::await_process_end();
    core::raise(
        ErrorCode::kUnavailable,
        "[device] the process is ending, and the libraries of {} may be gone; use it before "
        "main() returns",
        place_.to_string());
  }
  core::raise(ErrorCode::kUnavailable,
              "[device] {} was opened before this process was forked, and belongs to its parent; "
              "fork first, or start a new program",
              place_.to_string());
}

void Device::fail(loci_error* error, std::string_view action) const {
  const Error taken = core::take_error(error);
  note_loss(taken);
  throw taken.within(fmt::format("[device] {}: {}", place_.to_string(), action));
}

void Device::fail_copy(loci_error* error, std::uint64_t bytes, Device* peer) const {
  if (peer == nullptr) fail(error, fmt::format("copying {} bytes", bytes));
  const Error taken = core::take_error(error);
  // Which of the two has gone, the one code does not tell.
  const bool is_lost = taken.code() == ErrorCode::kDeviceLost;
  const Device& blamed = is_lost && peer->says_it_is_lost() && !says_it_is_lost() ? *peer : *this;
  blamed.note_loss(taken);
  throw taken.within(fmt::format("[device] {}: copying {} bytes from {}", place_.to_string(), bytes,
                                 peer->place().to_string()));
}

bool Device::says_it_is_lost() const {
  if (default_stream() == nullptr) return false;
  std::uint32_t done = 0;
  loci_error* error = api().stream_query(default_stream(), &done);
  return error != nullptr && core::take_error(error).code() == ErrorCode::kDeviceLost;
}

Resident& Device::resident(std::unique_ptr<Resident> (*make)(Device&)) {
  Resident* present = resident_.load(std::memory_order_acquire);
  if (present != nullptr) return *present;
  const std::lock_guard lock(resident_mutex_);
  if (owned_resident_ == nullptr) {
    owned_resident_ = make(*this);
    resident_.store(owned_resident_.get(), std::memory_order_release);
  }
  return *owned_resident_;
}

void Device::begin_stream(loci_stream* stream) {
  const std::lock_guard lock(live_streams_mutex_);
  live_streams_.push_back(stream);
}

void Device::end_stream(loci_stream* stream) noexcept {
  {
    const std::lock_guard lock(live_streams_mutex_);
    std::erase(live_streams_, stream);
  }
  Resident* present = resident_.load(std::memory_order_acquire);
  if (present != nullptr) present->stream_ended(stream);
}

}  // namespace loci::device
