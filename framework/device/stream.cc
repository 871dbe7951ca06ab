#include "framework/device/stream.h"

#include <new>

#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/device/call_name.h"
#include "framework/plugin/foreign_call.h"

namespace loci::device {
namespace {

// Destructors cannot throw, and an error of work that nobody waited for must not get lost.
template <class Wait>
void wait_and_log(Wait wait) noexcept {
  try {
    wait();
  } catch (const Error& error) {
    core::log(core::Module::kDevice, core::Level::kError, "{}", error.what());
  }
}

void require(const Device& device, bool present, const char* what) {
  if (present) return;
  core::raise(ErrorCode::kUnsupported, "[device] {} is an inline device without {}",
              device.place().to_string(), what);
}

}  // namespace

Stream::Stream(Device& device, std::int32_t priority) : device_(&device) {
  device.require_reach();
  require(device, device.api().stream_create != nullptr, "streams");
  loci_error* error = plugin::blaming(device.plugin(), [&] {
    return plugin::call_plugin(call_name("stream_create", device.place()), [&] {
      return device.api().stream_create(device.handle(), priority, &handle_);
    });
  });
  device.check(error, "creating a stream");
  device.begin_use();
  try {
    device.begin_stream(handle_);
  } catch (const std::bad_alloc&) {
    device.api().stream_destroy(handle_);
    device.end_use();
    throw;
  }
}

Stream::~Stream() {
  if (device_->is_out_of_reach()) return;
  if (!device_->loss().is_lost()) wait_and_log([this] { synchronize(); });
  if (device_->is_out_of_reach()) return;  // it has turned out to hang
  device_->end_stream(handle_);
  device_->api().stream_destroy(handle_);
  device_->end_use();
}

bool Stream::done() {
  device_->require_reach();
  std::uint32_t done = 0;
  device_->check(device_->api().stream_query(handle_, &done), "querying a stream");
  return done != 0;
}

void Stream::synchronize() { device_->synchronize_stream(handle_); }

Event::Event(Device& device, Timing timing) : device_(&device) {
  device.require_reach();
  require(device, device.api().event_create != nullptr, "events");
  const std::uint32_t flags = timing == Timing::kTimed ? LOCI_EVENT_TIMED : 0;
  device.check(device.api().event_create(device.handle(), flags, &handle_), "creating an event");
  device.begin_use();
}

Event::~Event() {
  if (device_->is_out_of_reach()) return;
  device_->api().event_destroy(handle_);
  device_->end_use();
}

void Event::record(loci_stream* stream) {
  device_->require_reach();
  device_->check(device_->api().event_record(handle_, stream), "recording an event");
  stream_ = stream;
}

bool Event::done() {
  device_->require_reach();
  std::uint32_t done = 0;
  device_->check(device_->api().event_query(handle_, &done), "querying an event");
  return done != 0;
}

void Event::synchronize() {
  device_->require_reach();
  device_->keep_limit(stream_, [this] { return done(); });
  device_->check_wait(device_->api().event_synchronize(handle_), stream_);
}

void Event::wait_on(loci_stream* stream, Device* waiting) {
  device_->require_reach();
  loci_error* error = device_->api().stream_wait_event(stream, handle_);
  if (waiting == nullptr || waiting == device_)
    return device_->check(error, "making a stream wait");
  waiting->check(error, "making a stream wait for " + device_->place().to_string());
}

std::uint64_t Event::ns_until(Event& end) {
  if (device_->api().event_elapsed_ns == nullptr) {
    core::raise(ErrorCode::kUnsupported, "[device] {} does not measure between events",
                device_->place().to_string());
  }
  std::uint64_t ns = 0;
  device_->check(device_->api().event_elapsed_ns(handle_, end.handle_, &ns),
                 "measuring between events");
  return ns;
}

}  // namespace loci::device
