#include "kernels/library/autotuning.h"

#include <algorithm>
#include <limits>

#include "device.h"

namespace loci::cuda {
namespace {

constexpr int kRuns = 3;
// About 1.07 as a half, 0.012 as a float.
constexpr unsigned char kByte = 0x3c;

}  // namespace

// Whole before it has anything, so that what fails half-way is given back.
Autotuning::Autotuning(Device& device, std::uint64_t bytes) : Autotuning(device) {
  const Driver& driver = device.driver();
  if (driver->cuMemAlloc(&memory_, std::max<std::uint64_t>(bytes, 1)) != CUDA_SUCCESS) {
    throw sdk::Error(LOCI_CODE_OUT_OF_MEMORY, "there is no memory to try algorithms in");
  }
  device.check(driver->cuStreamCreateWithPriority(&stream_, CU_STREAM_NON_BLOCKING, 0),
               "creating a stream to try algorithms in");
  device.check(driver->cuEventCreate(&begin_, CU_EVENT_DEFAULT), "creating an event");
  device.check(driver->cuEventCreate(&end_, CU_EVENT_DEFAULT), "creating an event");
  device.check(driver->cuMemsetD8Async(memory_, kByte, bytes, stream_),
               "filling what algorithms are tried with");
}

Autotuning::~Autotuning() {
  const Driver& driver = device_.driver();
  if (stream_ != nullptr) driver->cuStreamSynchronize(stream_);
  if (end_ != nullptr) driver->cuEventDestroy(end_);
  if (begin_ != nullptr) driver->cuEventDestroy(begin_);
  if (stream_ != nullptr) driver->cuStreamDestroy(stream_);
  if (memory_ != 0) driver->cuMemFree(memory_);
}

void* Autotuning::take(std::uint64_t bytes) {
  if (bytes == 0) return nullptr;
  const CUdeviceptr begin = memory_ + used_;
  used_ += taken(bytes);
  return reinterpret_cast<void*>(begin);
}

float Autotuning::timed(const Work& work) {
  const Driver& driver = device_.driver();
  device_.check(driver->cuEventRecord(begin_, stream_), "recording an event");
  if (!work(stream_)) return std::numeric_limits<float>::infinity();
  device_.check(driver->cuEventRecord(end_, stream_), "recording an event");
  device_.check(driver->cuEventSynchronize(end_), "trying an algorithm");
  float milliseconds = 0;
  device_.check(driver->cuEventElapsedTime(&milliseconds, begin_, end_), "reading a time");
  return milliseconds;
}

float Autotuning::shortest(const Work& work) {
  timed(work);
  float least = std::numeric_limits<float>::infinity();
  for (int i = 0; i < kRuns; ++i) least = std::min(least, timed(work));
  return least;
}

}  // namespace loci::cuda
