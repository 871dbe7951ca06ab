#include "framework/tensor/uses.h"

#include <mutex>
#include <utility>

namespace loci::tensor {

std::shared_ptr<device::Failure> WorkQueue::outcome(std::uint64_t ticket) noexcept {
  try {
    wait(ticket);
    return nullptr;
  } catch (const Error& error) {
    return device::failure_of(error);
  }
}

std::shared_ptr<device::Failure> WorkQueue::known_failure(std::uint64_t /*ticket*/) const {
  return nullptr;
}

bool WorkQueue::can_precede(const device::Device& /*device*/) const noexcept { return false; }
bool WorkQueue::is_issued(std::uint64_t /*ticket*/) const noexcept { return false; }
void WorkQueue::wait_issued(std::uint64_t ticket) { wait(ticket); }
void WorkQueue::order_before(loci_stream* /*later*/) {}

void Uses::enter(const Ticket& ticket, bool writes, Tickets* before, Ticket* source) {
  const std::lock_guard lock(lock_);
  if (source != nullptr) *source = writer_;
  if (writer_.queue != nullptr && writer_.queue != ticket.queue) before->push_back(writer_);
  if (writes) {
    for (const Ticket& reader : readers_) {
      if (reader.queue != ticket.queue) before->push_back(reader);
    }
    readers_.clear();
    writer_ = ticket;
  } else {
    bool is_known = false;
    for (Ticket& reader : readers_) {
      if (reader.queue != ticket.queue) continue;
      reader = ticket;
      is_known = true;
    }
    if (!is_known) readers_.push_back(ticket);
  }
  busy_.store(true, std::memory_order_release);
}

Tickets Uses::pending(bool writers_only) const {
  Tickets tickets;
  const std::lock_guard lock(lock_);
  if (writer_.queue != nullptr) tickets.push_back(writer_);
  if (writers_only) return tickets;
  for (const Ticket& reader : readers_) tickets.push_back(reader);
  return tickets;
}

bool Uses::forget_if_ended(bool writers_only) {
  const Tickets tickets = pending(writers_only);
  for (const Ticket& ticket : tickets) {
    if (!ticket.has_ended()) return false;
  }
  forget_ended(tickets);
  return true;
}

void Uses::wait(bool writers_only) {
  if (!is_idle()) {
    const Tickets tickets = pending(writers_only);
    for (const Ticket& ticket : tickets) ticket.queue->wait_quietly(ticket.number);
    // The failures of readers do not concern this wait.
    for (const Ticket& ticket : pending(/*writers_only=*/true)) ticket.queue->wait(ticket.number);
    forget_ended(tickets);
  }
  if (!has_failed()) [[likely]]
    return;
  if (const std::shared_ptr<Failure> failed = failure()) {
    failed->was_thrown.store(true, std::memory_order_relaxed);
    throw failed->error;
  }
}

// Others may have entered meanwhile: they stay.
void Uses::forget_ended(const Tickets& ended) {
  const std::lock_guard lock(lock_);
  InlineList<Ticket, 2> kept;
  for (const Ticket& ticket : ended) {
    if (ticket.queue == writer_.queue && ticket.number == writer_.number) writer_ = {};
  }
  for (const Ticket& reader : readers_) {
    bool has_ended = false;
    for (const Ticket& ticket : ended) {
      has_ended = has_ended || (ticket.queue == reader.queue && ticket.number >= reader.number);
    }
    if (!has_ended) kept.push_back(reader);
  }
  readers_ = std::move(kept);
  busy_.store(writer_.queue != nullptr || !readers_.empty(), std::memory_order_release);
}

void Uses::fail(std::shared_ptr<Failure> failure) {
  const std::lock_guard lock(lock_);
  failure_ = std::move(failure);
  failed_.store(true, std::memory_order_release);
}

std::shared_ptr<Failure> Uses::failure() const {
  const std::lock_guard lock(lock_);
  return failure_;
}

void Uses::clear_failure() noexcept {
  if (!has_failed()) return;
  const std::lock_guard lock(lock_);
  failure_.reset();
  failed_.store(false, std::memory_order_release);
}

}  // namespace loci::tensor
