#include "framework/eager/stream_work.h"

#include <new>

namespace loci::eager {

StreamWork::StreamWork(device::Device& device, bool is_default, std::int32_t priority)
    : device_(device), issued_(device) {
  if (is_default || device.is_inline()) {
    stream_ = device.default_stream();
  } else {
    own_stream_ = std::make_unique<device::Stream>(device, priority);
    stream_ = own_stream_->handle();
  }
}

void StreamWork::set_ended(std::uint64_t ticket) noexcept {
  std::uint64_t known = ended_.load(std::memory_order_relaxed);
  while (known < ticket && !ended_.compare_exchange_weak(known, ticket)) {
  }
}

// Asks the device. An error that it answers instead of doing that is about its work.
template <class Request>
void StreamWork::ask(const Request& request) {
  try {
    if (device_.loss().is_lost()) device_.require_reach();  // there may be no stream to ask
    request();
  } catch (const Error& error) {
    throw issued_.fail_work(error)->error;
  }
}

bool StreamWork::query(std::uint64_t ticket, std::uint64_t issued) {
  if (ended() < ticket) {
    std::uint32_t done = 0;
    ask([&] { device_.check(device_.api().stream_query(stream_, &done), "asking a stream"); });
    if (done == 0) return false;
    set_ended(issued);
  }
  issued_.check(ended());
  return true;
}

void StreamWork::wait(std::uint64_t ticket, std::uint64_t issued) {
  if (ended() < ticket) {
    ask([&] {
      // An event, so that the stream is free for others meanwhile. Whoever waits takes the work for
      // ended then, so that lack of memory for one is no way out.
      try {
        device::Event event(device_);
        event.record(stream_);
        event.synchronize();
      } catch (const std::bad_alloc&) {
        device_.synchronize_stream(stream_);
      }
    });
    set_ended(issued);
  }
  // Not what was issued: where the ticket had ended before, nobody has waited for the rest.
  issued_.check(ended());
}

void StreamWork::drain(std::uint64_t issued) {
  try {
    ask([&] { device_.synchronize_stream(stream_); });
  } catch (const Error&) {
    set_ended(issued);
    throw;
  }
  set_ended(issued);
}

void StreamWork::order_before(loci_stream* later) {
  const std::lock_guard lock(event_mutex_);
  if (event_ == nullptr) event_ = std::make_unique<device::Event>(device_);
  event_->record(stream_);
  event_->wait_on(later);
}

void StreamWork::leave() noexcept {
  const std::lock_guard lock(event_mutex_);
  event_.reset();
  own_stream_.reset();
  issued_.forget_work();  // which keeps kernels of the device
}

}  // namespace loci::eager
