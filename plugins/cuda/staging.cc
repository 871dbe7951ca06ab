#include "staging.h"

#include <algorithm>
#include <cstring>

#include "device.h"

namespace loci::cuda {

Staging::Staging(Device& device, Stream& stream) : device_(device), stream_(stream) {
  const CurrentContext current(device);
  const RelaxedCapture relaxed(device.driver());
  try {
    for (Chunk& chunk : chunks_) {
      void* memory = nullptr;
      device.check(device.driver()->cuMemHostAlloc(&memory, kChunkBytes, CU_MEMHOSTALLOC_PORTABLE),
                   "pinning memory to copy through");
      chunk.memory = static_cast<char*>(memory);
      device.check(device.driver()->cuEventCreate(&chunk.copied, CU_EVENT_DISABLE_TIMING),
                   "creating an event");
    }
  } catch (...) {
    release();
    throw;
  }
}

// Its chunks may be what the stream copies from.
Staging::~Staging() {
  const CurrentContext current(device_, CurrentContext::ToGiveBack{});
  for (Chunk& chunk : chunks_) {
    if (chunk.is_pending) device_.driver()->cuEventSynchronize(chunk.copied);
  }
  release();
}

void Staging::release() {
  for (Chunk& chunk : chunks_) {
    if (chunk.copied != nullptr) device_.driver()->cuEventDestroy(chunk.copied);
    if (chunk.memory != nullptr) device_.driver()->cuMemFreeHost(chunk.memory);
  }
}

template <class Visit>
void Staging::for_each_part(const HostRows& host, Visit visit) {
  const std::uint64_t rows_at_once = kChunkBytes / host.row_bytes;
  if (rows_at_once > 0) {
    for (std::uint64_t row = 0; row < host.rows; row += rows_at_once) {
      visit(Part{row, 0, host.row_bytes, std::min(rows_at_once, host.rows - row)});
    }
    return;
  }
  for (std::uint64_t row = 0; row < host.rows; ++row) {
    for (std::uint64_t offset = 0; offset < host.row_bytes; offset += kChunkBytes) {
      visit(Part{row, offset, std::min(kChunkBytes, host.row_bytes - offset), 1});
    }
  }
}

Staging::Chunk& Staging::next() {
  Chunk& chunk = chunks_[next_];
  next_ = (next_ + 1) % chunks_.size();
  return chunk;
}

void Staging::wait(Chunk& chunk) {
  if (!chunk.is_pending) return;
  chunk.is_pending = false;
  device_.check(device_.driver()->cuEventSynchronize(chunk.copied), "copying pageable memory");
}

void Staging::write(const HostRows& source, CUdeviceptr target, std::uint64_t target_pitch) {
  const std::lock_guard lock(mutex_);
  for_each_part(source, [&](const Part& part) {
    Chunk& chunk = next();
    wait(chunk);
    for (std::uint64_t i = 0; i < part.rows; ++i) {
      std::memcpy(chunk.memory + i * part.bytes,
                  source.first + (part.row + i) * source.pitch + part.offset, part.bytes);
    }
    copy(chunk, part, target, target_pitch, /*writes=*/true);
  });
}

void Staging::read(const HostRows& target, CUdeviceptr source, std::uint64_t source_pitch) {
  const std::lock_guard lock(mutex_);
  // Bytes that an earlier write left in them are not to be taken for something that was read.
  for (Chunk& chunk : chunks_) wait(chunk);
  for_each_part(target, [&](const Part& part) {
    Chunk& chunk = next();
    finish_read(chunk, target);
    copy(chunk, part, source, source_pitch, /*writes=*/false);
  });
  for (std::size_t i = 0; i < chunks_.size(); ++i) finish_read(next(), target);
}

void Staging::finish_read(Chunk& chunk, const HostRows& target) {
  if (!chunk.is_pending) return;
  wait(chunk);
  const Part& part = chunk.part;
  for (std::uint64_t i = 0; i < part.rows; ++i) {
    std::memcpy(target.first + (part.row + i) * target.pitch + part.offset,
                chunk.memory + i * part.bytes, part.bytes);
  }
}

// Between the chunk, where rows lie close together, and the device.
void Staging::copy(Chunk& chunk, const Part& part, CUdeviceptr device, std::uint64_t pitch,
                   bool writes) {
  const Driver& driver = device_.driver();
  const CUdeviceptr first = device + part.row * pitch + part.offset;
  CUresult status = CUDA_SUCCESS;
  const bool is_flat = part.rows == 1 || pitch == part.bytes;
  if (is_flat) {
    const std::uint64_t bytes = part.bytes * part.rows;
    status = writes ? driver->cuMemcpyHtoDAsync(first, chunk.memory, bytes, stream_.handle())
                    : driver->cuMemcpyDtoHAsync(chunk.memory, first, bytes, stream_.handle());
  } else {
    CUDA_MEMCPY2D rows{};
    rows.srcMemoryType = writes ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    rows.dstMemoryType = writes ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    rows.srcHost = rows.dstHost = chunk.memory;
    rows.srcDevice = rows.dstDevice = first;
    rows.srcPitch = writes ? part.bytes : pitch;
    rows.dstPitch = writes ? pitch : part.bytes;
    rows.WidthInBytes = part.bytes;
    rows.Height = part.rows;
    status = driver->cuMemcpy2DAsync(&rows, stream_.handle());
  }
  device_.check(status, "copying pageable memory");
  device_.check(driver->cuEventRecord(chunk.copied, stream_.handle()), "copying pageable memory");
  chunk.part = part;
  chunk.is_pending = true;
}

}  // namespace loci::cuda
