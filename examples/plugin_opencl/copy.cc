// Copies and fills.
#include "device.h"
#include "error.h"

namespace opencl {

bool Device::copy(const loci_copy& copy, Stream* stream) {
  if (copy.source_end == LOCI_END_PEER || copy.target_end == LOCI_END_PEER) {
    throw loci::sdk::Error(LOCI_CODE_UNSUPPORTED,
                           "[opencl] there are no copies between devices; copy through the host");
  }
  require(stream);
  if (copy.rows == 0 || copy.row_bytes == 0) return false;
  if (copy.source_end == LOCI_END_HOST || copy.target_end == LOCI_END_HOST) {
    return copy_with_host(copy, *stream);
  }
  copy_on_device(copy, *stream);
  return false;
}

// From memory that is not pinned the driver would have to stage, so the host waits and may use the
// memory again.
bool Device::copy_with_host(const loci_copy& copy, Stream& stream) {
  const bool writes = copy.source_end == LOCI_END_HOST;
  const Location device = locate(writes ? copy.target : copy.source);
  const std::uint64_t device_pitch = writes ? copy.target_pitch : copy.source_pitch;
  const std::uint64_t host_pitch = writes ? copy.source_pitch : copy.target_pitch;
  const void* host = writes ? copy.source : copy.target;
  const bool is_pinned = pinned_.contains(host, (copy.rows - 1) * host_pitch + copy.row_bytes);

  // One row is a rectangle too, but the pitches of a flat copy say nothing.
  const std::size_t device_origin[] = {device.offset, 0, 0};
  const std::size_t host_origin[] = {0, 0, 0};
  const std::size_t region[] = {copy.row_bytes, copy.rows, 1};
  const std::uint64_t pitches[] = {copy.rows == 1 ? copy.row_bytes : device_pitch,
                                   copy.rows == 1 ? copy.row_bytes : host_pitch};
  const cl_bool blocking = is_pinned ? CL_FALSE : CL_TRUE;
  cl_event event = nullptr;
  if (writes) {
    check(clEnqueueWriteBufferRect(stream.queue(), device.buffer, blocking, device_origin,
                                   host_origin, region, pitches[0], 0, pitches[1], 0, copy.source,
                                   0, nullptr, &event),
          "copying to the device");
  } else {
    check(clEnqueueReadBufferRect(stream.queue(), device.buffer, blocking, device_origin,
                                  host_origin, region, pitches[0], 0, pitches[1], 0, copy.target, 0,
                                  nullptr, &event),
          "copying to the host");
  }
  stream.enqueued(event, writes ? "copy to the device" : "copy to the host", copy.correlation);
  return !is_pinned;
}

// Row by row: OpenCL copies rectangles within one buffer only between equal pitches, and tensors of
// one allocation share a buffer.
void Device::copy_on_device(const loci_copy& copy, Stream& stream) {
  const Location source = locate(copy.source);
  const Location target = locate(copy.target);
  for (std::uint64_t row = 0; row < copy.rows; ++row) {
    cl_event event = nullptr;
    check(clEnqueueCopyBuffer(
              stream.queue(), source.buffer, target.buffer, source.offset + row * copy.source_pitch,
              target.offset + row * copy.target_pitch, copy.row_bytes, 0, nullptr, &event),
          "copying on the device");
    stream.enqueued(event, "copy on the device", copy.correlation);
  }
}

void Device::fill(void* target, std::uint64_t bytes, const void* pattern,
                  std::uint32_t pattern_bytes, Stream* stream, std::uint64_t correlation) {
  require(stream);
  if (bytes == 0) return;
  const Location location = locate(target);
  cl_event event = nullptr;
  check(clEnqueueFillBuffer(stream->queue(), location.buffer, pattern, pattern_bytes,
                            location.offset, bytes, 0, nullptr, &event),
        "filling memory");
  stream->enqueued(event, "fill", correlation);
}

}  // namespace opencl
