#include "framework/transfer/transfer.h"

#include <algorithm>
#include <cstring>
#include <loci/error.hpp>
#include <memory>
#include <optional>
#include <string>

#include "framework/core/log.h"
#include "framework/core/steady_time.h"
#include "framework/device/capture_rules.h"
#include "framework/device/stream.h"
#include "framework/device/timed_work.h"
#include "framework/memory/allocator.h"
#include "framework/profiler/scope.h"
#include "framework/transfer/awaited_copy.h"
#include "framework/transfer/copy_scope.h"
#include "framework/transfer/ledger.h"
#include "framework/transfer/policy.h"
#include "framework/transfer/wait_label.h"

namespace loci::transfer {
namespace {

constexpr std::uint64_t kStagingBytes = 16 * 1024 * 1024;

bool in_host_memory(const End& end) {
  return end.device == nullptr || end.device->uses_host_memory();
}

bool in_one_space(const End& from, const End& to) {
  if (in_host_memory(from)) return in_host_memory(to);
  return from.device == to.device;
}

Place place_of(const End& end) { return end.device == nullptr ? Place() : end.device->place(); }

loci_stream* stream_or_default(device::Device& device, loci_stream* stream) {
  return stream == nullptr ? device.default_stream() : stream;
}

// One row: made before the copy and written after it, so that a failed copy leaves none.
class Entry {
 public:
  Entry(const Place& from, const Place& to, std::uint64_t bytes, const Labels& labels,
        const Permit& permit)
      : permit_(permit) {
    row_.labels = labels;
    row_.from = from;
    row_.to = to;
    row_.bytes = bytes;
    row_.start_ns = core::steady_ns();
  }
  void finish(bool host_waited) { finish(host_waited, core::steady_ns() - row_.start_ns); }
  void finish(bool host_waited, std::uint64_t duration_ns) {
    row_.host_waited = host_waited;
    row_.duration_ns = duration_ns;
    record(row_);
    charge(row_, permit_);
  }

 private:
  const Permit& permit_;
  Row row_;
};

// Who makes sure that a copy between devices comes behind what uses their memory.
enum class OrderedBy { kCopy, kCaller };

// How a copy is made.
struct Manner {
  loci_stream* stream = nullptr;
  bool wait = false;
  OrderedBy ordered_by = OrderedBy::kCopy;
  const Permit& permit;
  std::uint64_t correlation = 0;  // 0: a new one
};

std::uint32_t direction(std::uint32_t source_end, std::uint32_t target_end) {
  if (source_end == LOCI_END_HOST) return LOCI_COPY_HOST_TO_DEVICE;
  return target_end == LOCI_END_HOST ? LOCI_COPY_DEVICE_TO_HOST : LOCI_COPY_DEVICE_TO_DEVICE;
}

// A copy between host and device, or within a device. Returns whether the host waited. A copy that
// blocked has ended, but only the wait below tells whether it and the work before it succeeded.
bool copy_flat(device::Device& device, std::uint32_t source_end, const void* source,
               std::uint32_t target_end, void* target, std::uint64_t bytes, loci_stream* stream,
               bool wait, CopyScope& scope) {
  std::optional<AwaitedCopy> awaited;
  if (wait) awaited.emplace(device, scope.correlation());
  bool waited = false;
  {
    const device::TimedWork timed(device, stream,
                                  {.correlation = scope.correlation(),
                                   .kind = LOCI_DEVICE_WORK_COPY,
                                   .direction = direction(source_end, target_end),
                                   .bytes = bytes,
                                   .name = "copy"});
    waited =
        device.copy(source_end, source, target_end, target, bytes, stream, scope.correlation());
  }
  if (wait) {
    awaited->wait(stream);
    waited = true;
  }
  scope.finish(waited);
  return waited;
}

void copy_local(const End& from, const End& to, std::uint64_t bytes, const Labels& labels,
                const Manner& manner) {
  CopyScope scope(from.device, to.device, bytes, labels, manner.correlation);
  if (in_host_memory(from)) {
    std::memmove(to.data, from.data, bytes);
    scope.finish(/*host_waited=*/false);
  } else {
    copy_flat(*to.device, LOCI_END_DEVICE, from.data, LOCI_END_DEVICE, to.data, bytes,
              stream_or_default(*to.device, manner.stream), manner.wait, scope);
  }
  record_local(bytes);
}

// Makes later work of `later`, a stream of a device of the same plugin, wait for what is in
// `earlier`.
void order(device::Device& device, loci_stream* earlier, device::Device& waiting,
           loci_stream* later) {
  if (earlier == nullptr) return;
  if (later == nullptr) return device.synchronize_stream(earlier);
  device::Event event(device);
  event.record(earlier);
  event.wait_on(later, &waiting);
}

// False if the backend does not copy between these devices.
bool copy_peer(const End& from, const End& to, std::uint64_t bytes, const Labels& labels,
               const Manner& manner) {
  Entry entry(place_of(from), place_of(to), bytes, labels, manner.permit);
  CopyScope scope(from.device, to.device, bytes, labels, manner.correlation);
  // The copy runs on the target's stream, which knows nothing of the work that makes the source.
  loci_stream* source_stream = from.device->default_stream();
  const bool orders = manner.ordered_by == OrderedBy::kCopy;
  if (orders) order(*from.device, source_stream, *to.device, manner.stream);
  bool waited = false;
  std::optional<AwaitedCopy> awaited;
  if (manner.wait) awaited.emplace(*to.device, scope.correlation(), from.device);
  try {
    const device::TimedWork timed(*to.device, manner.stream,
                                  {.correlation = scope.correlation(),
                                   .kind = LOCI_DEVICE_WORK_COPY,
                                   .direction = LOCI_COPY_PEER,
                                   .bytes = bytes,
                                   .name = "copy"});
    waited = to.device->copy(LOCI_END_PEER, from.data, LOCI_END_DEVICE, to.data, bytes,
                             manner.stream, scope.correlation(), from.device);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported) throw;
    core::log(core::Module::kTransfer, core::Level::kDebug, "staged instead: {}", error.what());
    return false;
  }
  if (manner.wait) {
    awaited->wait(manner.stream);
    waited = true;
  }
  // Nor does the source's stream know of the copy, which what comes there next could overwrite.
  if (!waited && orders) order(*to.device, manner.stream, *from.device, source_stream);
  scope.finish(waited);
  entry.finish(waited);
  return true;
}

// Half of a copy: an error of one device's call names the other one too.
template <class Half>
void about_both(const End& from, const End& to, const Half& half) {
  try {
    half();
  } catch (const Error& error) {
    throw error.within(fmt::format("[transfer] copying from {} to {} through the host",
                                   place_of(from).to_string(), place_of(to).to_string()));
  }
}

// In pieces, so that a large tensor does not need as much memory on the host too.
void copy_staged(const End& from, const End& to, std::uint64_t bytes, const Labels& labels,
                 const Manner& manner) {
  const memory::Buffer staging =
      memory::host_allocator().allocate(std::min(bytes, kStagingBytes), nullptr, "(staging)");
  loci_stream* source_stream = from.device->default_stream();
  Entry to_host(place_of(from), Place(), bytes, labels, manner.permit);
  Entry to_device(Place(), place_of(to), bytes, labels, manner.permit);
  std::uint64_t reading = 0;
  std::uint64_t writing = 0;
  for (std::uint64_t done = 0; done < bytes; done += kStagingBytes) {
    const std::uint64_t piece = std::min(bytes - done, kStagingBytes);
    const std::uint64_t start = core::steady_ns();
    about_both(from, to, [&] {
      CopyScope scope(from.device, nullptr, piece, labels);
      copy_flat(*from.device, LOCI_END_DEVICE, static_cast<char*>(from.data) + done, LOCI_END_HOST,
                staging.data(), piece, source_stream, /*wait=*/true, scope);
    });
    const std::uint64_t middle = core::steady_ns();
    about_both(from, to, [&] {
      CopyScope scope(nullptr, to.device, piece, labels);
      copy_flat(*to.device, LOCI_END_HOST, staging.data(), LOCI_END_DEVICE,
                static_cast<char*>(to.data) + done, piece, manner.stream, /*wait=*/true, scope);
    });
    reading += middle - start;
    writing += core::steady_ns() - middle;
  }
  to_host.finish(/*host_waited=*/true, reading);
  to_device.finish(/*host_waited=*/true, writing);
}

void copy_between_devices(const End& from, const End& to, std::uint64_t bytes, const Labels& labels,
                          Manner manner) {
  manner.stream = stream_or_default(*to.device, manner.stream);
  if (to.device->can_wait_for(*from.device) && copy_peer(from, to, bytes, labels, manner)) return;
  // Only this stream knows the work behind which the caller has ordered the copy.
  if (manner.ordered_by == OrderedBy::kCaller) to.device->synchronize_stream(manner.stream);
  copy_staged(from, to, bytes, labels, manner);
}

// The wait before a copy to the host is no time of the copy: a profile shows it apart. Nobody waits
// here otherwise, and a fetch that does not block is then waited for with all others.
void show_wait(device::Device& device, const Labels& labels, const Manner& manner) {
  const bool waits = manner.wait || labels.reason == Reason::kFetch;
  if (!waits || device.is_inline() || !profiler::records_at(profiler::Level::kOp)) return;
  const profiler::Scope scope(wait_label(device));
  device.synchronize_stream(manner.stream);
}

void copy_with_host(const End& from, const End& to, std::uint64_t bytes, const Labels& labels,
                    Manner manner) {
  const bool from_host = in_host_memory(from);
  device::Device& device = from_host ? *to.device : *from.device;
  manner.stream = stream_or_default(device, manner.stream);
  if (!from_host) show_wait(device, labels, manner);
  Entry entry(place_of(from), place_of(to), bytes, labels, manner.permit);
  CopyScope scope(from.device, to.device, bytes, labels, manner.correlation);
  entry.finish(copy_flat(device, from_host ? LOCI_END_HOST : LOCI_END_DEVICE, from.data,
                         from_host ? LOCI_END_DEVICE : LOCI_END_HOST, to.data, bytes, manner.stream,
                         manner.wait, scope));
}

void copy_somewhere(const End& from, const End& to, std::uint64_t bytes, const Labels& labels,
                    const Manner& manner) {
  if (bytes == 0) return;
  if (in_one_space(from, to)) {
    copy_local(from, to, bytes, labels, manner);
  } else if (in_host_memory(from) || in_host_memory(to)) {
    copy_with_host(from, to, bytes, labels, manner);
  } else {
    copy_between_devices(from, to, bytes, labels, manner);
  }
}

// Within a capture nothing waits for its device.
void check_captured(const End& from, const End& to, const Labels& labels) {
  const device::Device* device = to.device != nullptr ? to.device : from.device;
  if (device == nullptr || in_one_space(from, to)) return;
  device::check_captures(device,
                         fmt::format("{}{}{} waits for a copy of '{}' from {} to {}",
                                     *labels.consumer == '\0' ? "the host" : "[", labels.consumer,
                                     *labels.consumer == '\0' ? "" : "]", labels.variable,
                                     place_of(from).to_string(), place_of(to).to_string()),
                         /*is_copy=*/true);
}

}  // namespace

Permit permit(const End& from, const End& to, std::uint64_t bytes, const Labels& labels) {
  if (bytes == 0 || in_one_space(from, to)) return {};
  return check_allowed(place_of(from), place_of(to), bytes, labels);
}

void copy(const End& from, const End& to, std::uint64_t bytes, const Labels& labels,
          loci_stream* stream, bool wait, const Permit& asked, std::uint64_t correlation) {
  if (wait && device::active_captures.load(std::memory_order_acquire) != 0) [[unlikely]]
    check_captured(from, to, labels);
  copy_somewhere(from, to, bytes, labels, {stream, wait, OrderedBy::kCopy, asked, correlation});
}

void copy(const End& from, const End& to, std::uint64_t bytes, const Labels& labels,
          loci_stream* stream, bool wait) {
  copy(from, to, bytes, labels, stream, wait, permit(from, to, bytes, labels));
}

void note_local_copy(const End& from, const End& to, std::uint64_t bytes, const Labels& labels,
                     std::uint64_t correlation) {
  if (bytes == 0) return;
  CopyScope(from.device, to.device, bytes, labels, correlation).finish(/*host_waited=*/false);
  record_local(bytes);
}

void enqueue_copy(const End& from, const End& to, std::uint64_t bytes, const Labels& labels,
                  loci_stream* stream) {
  const Permit asked = permit(from, to, bytes, labels);
  copy_somewhere(from, to, bytes, labels, {stream, /*wait=*/false, OrderedBy::kCaller, asked});
}

}  // namespace loci::transfer
