// Copies and fills.
#include <cstring>

#include "device.h"
#include "pinned_ranges.h"
#include "staging.h"
#include "work_scope.h"

namespace loci::cuda {
namespace {

CUdeviceptr device_address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

CUmemorytype memory_of(std::uint32_t end) {
  return end == LOCI_END_HOST ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

bool is_flat(const loci_copy& copy) {
  return copy.rows == 1 ||
         (copy.source_pitch == copy.row_bytes && copy.target_pitch == copy.row_bytes);
}

loci_copy as_one_row(loci_copy copy) {
  copy.row_bytes *= copy.rows;
  copy.rows = 1;
  return copy;
}

void require_ends(const loci_copy& copy) {
  const bool is_here = copy.source_end == LOCI_END_DEVICE || copy.target_end == LOCI_END_DEVICE;
  const bool is_known = copy.source_end <= LOCI_END_PEER && copy.target_end <= LOCI_END_PEER;
  if (is_here && is_known) return;
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                   "[cuda] a copy from end " + std::to_string(copy.source_end) + " to end " +
                       std::to_string(copy.target_end) +
                       " does not touch the device; give LOCI_END_DEVICE for one of them");
}

CUDA_MEMCPY2D rows_of(const loci_copy& copy) {
  CUDA_MEMCPY2D rows{};
  rows.srcMemoryType = memory_of(copy.source_end);
  rows.dstMemoryType = memory_of(copy.target_end);
  rows.srcHost = copy.source;
  rows.srcDevice = device_address(copy.source);
  rows.dstHost = copy.target;
  rows.dstDevice = device_address(copy.target);
  rows.srcPitch = copy.source_pitch;
  rows.dstPitch = copy.target_pitch;
  rows.WidthInBytes = copy.row_bytes;
  rows.Height = copy.rows;
  return rows;
}

CUresult copy_flat(const Driver& driver, const loci_copy& copy, CUstream stream) {
  if (copy.source_end == LOCI_END_HOST) {
    return driver->cuMemcpyHtoDAsync(device_address(copy.target), copy.source, copy.row_bytes,
                                     stream);
  }
  if (copy.target_end == LOCI_END_HOST) {
    return driver->cuMemcpyDtoHAsync(copy.target, device_address(copy.source), copy.row_bytes,
                                     stream);
  }
  return driver->cuMemcpyDtoDAsync(device_address(copy.target), device_address(copy.source),
                                   copy.row_bytes, stream);
}

std::uint32_t direction_of(const loci_copy& copy) {
  if (copy.source_end == LOCI_END_PEER || copy.target_end == LOCI_END_PEER) return LOCI_COPY_PEER;
  if (copy.source_end == LOCI_END_HOST) return LOCI_COPY_HOST_TO_DEVICE;
  return copy.target_end == LOCI_END_HOST ? LOCI_COPY_DEVICE_TO_HOST : LOCI_COPY_DEVICE_TO_DEVICE;
}

TimedWork work_of(const loci_copy& copy) {
  TimedWork work;
  work.kind = LOCI_DEVICE_WORK_COPY;
  work.correlation = copy.correlation;
  work.direction = direction_of(copy);
  work.bytes = copy.rows * copy.row_bytes;
  return work;
}

}  // namespace

bool Device::copy(const loci_copy& copy, Stream* stream) {
  require_ends(copy);
  require(stream);
  const CurrentContext current(*this);
  faults_.enter_copy();
  if (copy.rows == 0 || copy.row_bytes == 0) return false;
  const WorkScope scope(*this, stream->handle(), work_of(copy));
  const loci_copy simplest = is_flat(copy) ? as_one_row(copy) : copy;
  if (copy.source_end == LOCI_END_PEER || copy.target_end == LOCI_END_PEER) {
    copy_with_peer(simplest, *stream);
    stream->note("a copy", copy.correlation);
    return false;
  }
  if (copy.source_end == LOCI_END_HOST || copy.target_end == LOCI_END_HOST) {
    return copy_with_host(simplest, *stream);
  }
  copy_rows(simplest, *stream);
  stream->note("a copy", copy.correlation);
  return false;
}

// Memory that is not pinned is copied through pinned memory: the driver would do the same, and wait
// where it likes.
bool Device::copy_with_host(const loci_copy& copy, Stream& stream) {
  const bool writes = copy.source_end == LOCI_END_HOST;
  const void* host = writes ? copy.source : copy.target;
  const std::uint64_t pitch =
      copy.rows == 1 ? copy.row_bytes : (writes ? copy.source_pitch : copy.target_pitch);
  if (pinned_.contains(host, (copy.rows - 1) * pitch + copy.row_bytes)) {
    copy_rows(copy, stream);
    stream.note("a copy", copy.correlation);
    return false;
  }
  stream.refuse_while_recording("memory of the host that is not pinned cannot be copied");
  const HostRows rows{static_cast<char*>(const_cast<void*>(host)), copy.row_bytes, copy.rows,
                      pitch};
  if (writes) {
    stream.staging().write(rows, device_address(copy.target), copy.target_pitch);
    stream.note("a copy", copy.correlation);
  } else {
    const std::uint64_t enqueued = stream.recent()->enqueued();
    stream.staging().read(rows, device_address(copy.source), copy.source_pitch);
    stream.recent()->prove(enqueued);
  }
  return true;
}

void Device::copy_rows(const loci_copy& copy, Stream& stream) {
  if (copy.rows == 1) {
    return check(copy_flat(driver_, copy, stream.handle()), "copying");
  }
  if (copy.source_pitch <= entry_.max_pitch && copy.target_pitch <= entry_.max_pitch) {
    const CUDA_MEMCPY2D rows = rows_of(copy);
    return check(driver_->cuMemcpy2DAsync(&rows, stream.handle()), "copying rows");
  }
  loci_copy row = copy;
  for (row.rows = 1; row.rows <= copy.rows; ++row.rows) {
    check(copy_flat(driver_, row, stream.handle()), "copying a row");
    row.source = static_cast<const char*>(row.source) + copy.source_pitch;
    row.target = static_cast<char*>(row.target) + copy.target_pitch;
  }
}

void Device::copy_with_peer(const loci_copy& copy, Stream& stream) {
  Device& peer = sdk::device_of<Device>(copy.peer);
  allow_access(peer);
  const bool reads = copy.source_end == LOCI_END_PEER;
  CUdeviceptr source = device_address(copy.source);
  CUdeviceptr target = device_address(copy.target);
  for (std::uint64_t row = 0; row < copy.rows; ++row) {
    check(driver_->cuMemcpyPeerAsync(target, reads ? context_ : peer.context_, source,
                                     reads ? peer.context_ : context_, copy.row_bytes,
                                     stream.handle()),
          "copying between devices");
    source += copy.source_pitch;
    target += copy.target_pitch;
  }
}

// Copies between devices work without it, by way of the host.
void Device::allow_access(Device& peer) {
  const std::lock_guard lock(mutex_);
  if (!accessed_.insert(&peer).second) return;
  int can_access = 0;
  check(driver_->cuDeviceCanAccessPeer(&can_access, entry_.handle, peer.entry_.handle),
        "asking for access to another device");
  if (can_access == 0) return;
  const RelaxedCapture relaxed(driver_);
  const CUresult status = driver_->cuCtxEnablePeerAccess(peer.context_, 0);
  if (status != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) {
    check(status, "getting access to another device");
  }
}

void Device::fill(void* target, std::uint64_t bytes, const void* pattern,
                  std::uint32_t pattern_bytes, Stream* stream, std::uint64_t correlation) {
  require(stream);
  const CurrentContext current(*this);
  faults_.enter_copy();
  if (bytes == 0) return;
  TimedWork work;
  work.kind = LOCI_DEVICE_WORK_FILL;
  work.correlation = correlation;
  work.bytes = bytes;
  const WorkScope scope(*this, stream->handle(), work);
  const CUdeviceptr first = device_address(target);
  const std::uint64_t count = bytes / pattern_bytes;
  std::uint32_t words[2] = {0, 0};
  std::memcpy(words, pattern, pattern_bytes);
  const auto check_fill = [this](CUresult status) { check(status, "filling memory"); };
  if (pattern_bytes == 1) {
    check_fill(driver_->cuMemsetD8Async(first, static_cast<unsigned char>(words[0]), count,
                                        stream->handle()));
  } else if (pattern_bytes == 2) {
    check_fill(driver_->cuMemsetD16Async(first, static_cast<unsigned short>(words[0]), count,
                                         stream->handle()));
  } else if (pattern_bytes == 4 || words[0] == words[1]) {
    check_fill(driver_->cuMemsetD32Async(first, words[0], bytes / 4, stream->handle()));
  } else {
    // Each half by itself, as a column of words.
    for (std::uint64_t half = 0; half < 2; ++half) {
      check_fill(driver_->cuMemsetD2D32Async(first + 4 * half, 8, words[half], 1, count,
                                             stream->handle()));
    }
  }
  stream->note("a fill", correlation);
}

}  // namespace loci::cuda
