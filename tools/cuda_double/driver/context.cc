#include "tools/cuda_double/driver/context.h"

#include <algorithm>

#include "tools/cuda_double/driver/driver.h"

namespace loci::cuda_double {
namespace {

// A context keeps one part in so many of its device's memory.
constexpr std::uint64_t kOwnShare = 64;

}  // namespace

Context::Context(Device& owner, bool primary)
    : device(owner), is_primary(primary), id(Driver::get().next_id()) {}

void Context::begin(unsigned context_flags) {
  require_no_error();
  taken_ = device.total() / kOwnShare;
  device.take(taken_);
  alive_ = true;
  Driver::get().contexts.insert(this);
  flags = context_flags;
  limits = {{CU_LIMIT_STACK_SIZE, 1024},
            {CU_LIMIT_PRINTF_FIFO_SIZE, 8650752},
            {CU_LIMIT_MALLOC_HEAP_SIZE, 8388608}};
  legacy_ = std::make_shared<Stream>(*this, CU_STREAM_DEFAULT, 0, Stream::Role::kLegacy);
}

void Context::end() {
  alive_ = false;
  device.give_back(taken_);
  Driver::get().contexts.erase(this);
  auto& registry = Driver::get().registry;
  for (Stream* stream : std::set<Stream*>(streams_)) registry.remove(stream);
  streams_.clear();
  per_thread_.clear();
  tails_.clear();
  peers_.clear();
  count_peer_devices();
  // Other contexts reach nothing through this one any more, until they enable a new one.
  for (Context* other : Driver::get().contexts) static_cast<void>(other->remove_peer(*this));
  captures.clear();
}

Stream& Context::of_this_thread() {
  auto& stream = per_thread_[std::this_thread::get_id()];
  if (stream == nullptr) {
    stream = std::make_shared<Stream>(*this, CU_STREAM_DEFAULT, 0, Stream::Role::kPerThread);
  }
  return *stream;
}

void Context::add(const std::shared_ptr<Stream>& stream) { streams_.insert(stream.get()); }

void Context::forget(Stream& stream) {
  if (stream.last != nullptr && !stream.last->done) {
    tails_.push_back({stream.last, stream.is_blocking()});
  }
  streams_.erase(&stream);
}

void Context::drop_done_tails() {
  std::erase_if(tails_, [](const Tail& tail) { return tail.task->done; });
}

std::vector<TaskPtr> Context::ends() {
  drop_done_tails();
  std::vector<TaskPtr> tasks = {legacy_->last};
  for (const Stream* stream : streams_) tasks.push_back(stream->last);
  for (const auto& [thread, stream] : per_thread_) tasks.push_back(stream->last);
  for (const Tail& tail : tails_) tasks.push_back(tail.task);
  return tasks;
}

std::vector<TaskPtr> Context::blocking_ends() {
  drop_done_tails();
  std::vector<TaskPtr> tasks;
  for (const Stream* stream : streams_) {
    if (stream->is_blocking()) tasks.push_back(stream->last);
  }
  for (const auto& [thread, stream] : per_thread_) tasks.push_back(stream->last);
  for (const Tail& tail : tails_) {
    if (tail.blocking) tasks.push_back(tail.task);
  }
  return tasks;
}

void Context::fail(CUresult code, const std::string& text) {
  if (device.error != CUDA_SUCCESS) return;
  device.error = code;
  device.error_text = text;
}

void Context::require_no_error() const {
  if (device.error != CUDA_SUCCESS) throw DriverError(device.error, device.error_text);
}

bool Context::add_peer(Context& peer) {
  const bool is_new = peers_.insert(&peer).second;
  count_peer_devices();
  return is_new;
}

bool Context::remove_peer(Context& peer) {
  const bool was_there = peers_.erase(&peer) != 0;
  count_peer_devices();
  return was_there;
}

void Context::count_peer_devices() {
  std::uint64_t bits = 0;
  for (const Context* peer : peers_) bits |= std::uint64_t{1} << peer->device.ordinal();
  peer_devices_ = bits;
}

}  // namespace loci::cuda_double
