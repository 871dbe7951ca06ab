// Copies and fills.
#include "device.h"
#include "error.h"

namespace opencl {
namespace {

// A rectangle of bytes in a buffer or in host memory, as OpenCL states it.
struct Corner {
  explicit Corner(std::uint64_t offset) : origin{offset, 0, 0} {}
  std::size_t origin[3];
};

struct Region {
  explicit Region(const loci_copy& copy) : extents{copy.row_bytes, copy.rows, 1} {}
  std::size_t extents[3];
};

// Bytes from the first to behind the last one.
std::uint64_t reach(const loci_copy& copy, std::uint64_t pitch) {
  return (copy.rows - 1) * pitch + copy.row_bytes;
}

}  // namespace

bool Device::copy(const loci_copy& copy, Stream* stream) {
  if (copy.source_end == LOCI_END_PEER || copy.target_end == LOCI_END_PEER) {
    throw loci::sdk::Error(LOCI_CODE_UNSUPPORTED,
                           "[opencl] there are no copies between devices; copy through the host");
  }
  require(stream);
  if (copy.rows == 0 || copy.row_bytes == 0) return false;
  if (copy.source_end == LOCI_END_HOST) return copy_host_to_device(copy, *stream);
  if (copy.target_end == LOCI_END_HOST) return copy_device_to_host(copy, *stream);
  copy_on_device(copy, *stream);
  return false;
}

// From memory that is not pinned the driver would have to stage, so the host waits and may use the
// memory again.
bool Device::copy_host_to_device(const loci_copy& copy, Stream& stream) {
  const Location target = locate(copy.target);
  const bool blocks = !pinned_.contains(copy.source, reach(copy, copy.source_pitch));
  const cl_bool blocking = blocks ? CL_TRUE : CL_FALSE;
  cl_event event = nullptr;
  const cl_int status =
      copy.rows == 1
          ? clEnqueueWriteBuffer(stream.queue(), target.buffer, blocking, target.offset,
                                 copy.row_bytes, copy.source, 0, nullptr, &event)
          : clEnqueueWriteBufferRect(stream.queue(), target.buffer, blocking,
                                     Corner(target.offset).origin, Corner(0).origin,
                                     Region(copy).extents, copy.target_pitch, 0, copy.source_pitch,
                                     0, copy.source, 0, nullptr, &event);
  check(status, "copying to the device");
  stream.enqueued(event, "copy to the device", copy.correlation);
  return blocks;
}

bool Device::copy_device_to_host(const loci_copy& copy, Stream& stream) {
  const Location source = locate(copy.source);
  const bool blocks = !pinned_.contains(copy.target, reach(copy, copy.target_pitch));
  const cl_bool blocking = blocks ? CL_TRUE : CL_FALSE;
  cl_event event = nullptr;
  const cl_int status =
      copy.rows == 1
          ? clEnqueueReadBuffer(stream.queue(), source.buffer, blocking, source.offset,
                                copy.row_bytes, copy.target, 0, nullptr, &event)
          : clEnqueueReadBufferRect(stream.queue(), source.buffer, blocking,
                                    Corner(source.offset).origin, Corner(0).origin,
                                    Region(copy).extents, copy.source_pitch, 0, copy.target_pitch,
                                    0, copy.target, 0, nullptr, &event);
  check(status, "copying to the host");
  stream.enqueued(event, "copy to the host", copy.correlation);
  return blocks;
}

// Row by row: OpenCL copies rectangles within one buffer only between equal pitches, and tensors of
// one allocation share a buffer.
void Device::copy_on_device(const loci_copy& copy, Stream& stream) {
  const Location source = locate(copy.source);
  const Location target = locate(copy.target);
  for (std::uint64_t row = 0; row < copy.rows; ++row) {
    cl_event event = nullptr;
    check(clEnqueueCopyBuffer(stream.queue(), source.buffer, target.buffer,
                              source.offset + row * copy.source_pitch,
                              target.offset + row * copy.target_pitch, copy.row_bytes, 0, nullptr,
                              &event),
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
