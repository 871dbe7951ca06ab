#include "pinned_memory.h"

#include <mutex>

#include "error.h"

namespace opencl {
namespace {

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

PinnedMemory::~PinnedMemory() {
  for (const auto& entry : ranges_) {
    clEnqueueUnmapMemObject(queue_, entry.second.buffer.get(), entry.second.memory, 0, nullptr,
                            nullptr);
  }
  clFinish(queue_);
}

void* PinnedMemory::allocate(std::uint64_t bytes) {
  return insert(CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, nullptr, bytes);
}

void PinnedMemory::add(void* memory, std::uint64_t bytes) {
  insert(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory, bytes);
}

void* PinnedMemory::insert(cl_mem_flags flags, void* memory, std::uint64_t bytes) {
  cl_int status = CL_SUCCESS;
  Buffer buffer(clCreateBuffer(context_, flags, bytes, memory, &status));
  if (status != CL_SUCCESS) throw error_of(status, text("pinning ", bytes, " bytes"));
  void* mapped = clEnqueueMapBuffer(queue_, buffer.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                    bytes, 0, nullptr, nullptr, &status);
  if (status != CL_SUCCESS) throw error_of(status, text("mapping ", bytes, " pinned bytes"));
  Range range{std::move(buffer), mapped, bytes};
  const std::unique_lock lock(mutex_);
  if (!ranges_.try_emplace(number(mapped), std::move(range)).second) {
    unmap(range, queue_);
    throw loci::sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                           text("[opencl] the memory at ", memory, " is registered already"));
  }
  return mapped;
}

// Memory of OpenCL's own goes with its buffer, which the command that unmaps it keeps until then.
void PinnedMemory::release(void* memory, cl_command_queue queue) {
  const std::unique_lock lock(mutex_);
  const auto found = ranges_.find(number(memory));
  if (found == ranges_.end()) {
    throw loci::sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                           text("[opencl] the memory at ", memory, " is not pinned"));
  }
  unmap(found->second, queue == nullptr ? queue_ : queue);
  ranges_.erase(found);
}

void PinnedMemory::unmap(const Range& range, cl_command_queue queue) {
  check(clEnqueueUnmapMemObject(queue, range.buffer.get(), range.memory, 0, nullptr, nullptr),
        "unmapping pinned memory");
  check(clFlush(queue), "unmapping pinned memory");
}

bool PinnedMemory::contains(const void* memory, std::uint64_t bytes) const {
  const std::shared_lock lock(mutex_);
  const auto after = ranges_.upper_bound(number(memory));
  if (after == ranges_.begin()) return false;
  const auto& [first, range] = *std::prev(after);
  return number(memory) - first + bytes <= range.bytes;
}

}  // namespace opencl
