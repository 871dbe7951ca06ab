// The device's side of a queue.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "framework/device/stream.h"
#include "framework/eager/issued_work.h"

namespace loci::eager {

// A stream, what has been handed to it, and what of that is known to have ended. By ticket of the
// queue. Thread-safe, but for query() and drain(), which are for whoever may use the stream.
class StreamWork {
 public:
  // The device's default stream, or one of its own with that priority, which the device has. An
  // inline device has only the former.
  StreamWork(device::Device& device, bool is_default, std::int32_t priority = 0);

  [[nodiscard]] loci_stream* handle() const { return stream_; }
  [[nodiscard]] IssuedWork& issued() { return issued_; }
  [[nodiscard]] const IssuedWork& issued() const { return issued_; }

  // The work up to that ticket has ended, well or not.
  [[nodiscard]] std::uint64_t ended() const noexcept {
    return ended_.load(std::memory_order_acquire);
  }
  void set_ended(std::uint64_t ticket) noexcept;

  // Each of these knows the work up to `issued` to have been handed over, and throws what the
  // device says of its work.
  //
  // Whether the work up to the ticket has ended.
  [[nodiscard]] bool query(std::uint64_t ticket, std::uint64_t issued);
  // Returns when it has.
  void wait(std::uint64_t ticket, std::uint64_t issued);
  // Returns, or throws, when all of it has.
  void drain(std::uint64_t issued);

  // Later work of that stream of the device waits for all that this one has now: more than is asked
  // for, seldom much.
  void order_before(loci_stream* later);

  // Gives back its own stream and events, for a device that is lost and replaced; nobody waits.
  void leave() noexcept;

 private:
  template <class Request>
  void ask(const Request& request);

  device::Device& device_;
  std::unique_ptr<device::Stream> own_stream_;
  loci_stream* stream_ = nullptr;
  IssuedWork issued_;
  std::atomic<std::uint64_t> ended_{0};
  std::mutex event_mutex_;
  std::unique_ptr<device::Event> event_;
};

}  // namespace loci::eager
