#include "tools/conformance/verify/busy_work.h"

#include <algorithm>

namespace loci::verify {
namespace {

using Clock = std::chrono::steady_clock;

// A copy should take longer than enqueuing it, on a fast device too.
constexpr std::uint64_t kBytes = std::uint64_t{32} << 20;
constexpr std::int64_t kMostCopies = 20000;

// True for success; the error is freed.
bool succeeds(const loci_host_api& host, loci_error* error) {
  if (error != nullptr) host.error_release(error);
  return error == nullptr;
}

}  // namespace

BusyWork::BusyWork(const loci_device_api& api, const loci_host_api& host, loci_device* device,
                   std::uint64_t chunk, loci_stream* stream)
    : api_(api),
      host_(host),
      device_(device),
      stream_(stream),
      bytes_((kBytes + chunk - 1) / chunk * chunk) {
  const auto allocate = [&](void** out) {
    return succeeds(host_, api_.mem_alloc(device_, LOCI_MEMORY_DEVICE, bytes_, nullptr, out));
  };
  if (allocate(&source_) && allocate(&target_)) measure();
}

BusyWork::~BusyWork() {
  if (target_ == nullptr && source_ == nullptr) return;
  wait();
  for (void* pointer : {source_, target_}) {
    if (pointer == nullptr) continue;
    succeeds(host_, api_.mem_free(device_, LOCI_MEMORY_DEVICE, pointer, nullptr));
  }
}

// In two ways, since either may be what is wrong with the plugin.
bool BusyWork::wait() {
  if (!succeeds(host_, api_.stream_synchronize(stream_))) return false;
  for (std::uint32_t done = 0; done == 0;) {
    if (!succeeds(host_, api_.stream_query(stream_, &done))) return false;
  }
  return true;
}

bool BusyWork::copy_once() {
  const loci_copy copy{.struct_size = sizeof(loci_copy),
                       .source_end = LOCI_END_DEVICE,
                       .target_end = LOCI_END_DEVICE,
                       .reserved_zero = 0,
                       .source = source_,
                       .target = target_,
                       .row_bytes = bytes_,
                       .rows = 1,
                       .source_pitch = bytes_,
                       .target_pitch = bytes_,
                       .peer = nullptr,
                       .correlation = 0};
  std::uint32_t blocked = 0;
  return succeeds(host_, api_.copy(device_, &copy, stream_, &blocked)) && blocked == 0;
}

void BusyWork::measure() {
  static constexpr int kMeasured = 4;
  // The first one touches the memory for the first time.
  if (!copy_once() || !wait()) return;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kMeasured; ++i) {
    if (!copy_once()) return;
  }
  if (!wait()) return;
  const Clock::duration each = (Clock::now() - start) / kMeasured;
  count_ =
      std::clamp<std::int64_t>(kDuration / std::max(each, Clock::duration(1)) + 1, 1, kMostCopies);
}

void BusyWork::enqueue(loci_stream* stream) {
  stream_ = stream;
  for (std::int64_t i = 0; i < count_; ++i) copy_once();
}

}  // namespace loci::verify
