// Measures how long work takes on a device before it is chosen, in a stream and in memory of its
// own.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>

namespace loci::cuda {

class Device;

// The device's context is current while it lives. It may be made while a stream is captured.
class Autotuning {
 public:
  // With memory for so many bytes, all of take(). Throws Error(LOCI_CODE_OUT_OF_MEMORY) where there
  // is none.
  Autotuning(Device& device, std::uint64_t bytes);
  ~Autotuning();
  Autotuning(const Autotuning&) = delete;
  Autotuning& operator=(const Autotuning&) = delete;

  // Bytes that take() uses up.
  static constexpr std::uint64_t taken(std::uint64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  // Memory that is aligned to 256 bytes, of small numbers in every type of floats; null of none.
  void* take(std::uint64_t bytes);

  // Enqueues in the stream; whether it did.
  using Work = std::function<bool(CUstream)>;
  // Milliseconds of the shortest of a few runs, after one that is not counted; infinite where it
  // was not enqueued.
  float shortest(const Work& work);

 private:
  static constexpr std::uint64_t kAlignment = 256;

  explicit Autotuning(Device& device) : device_(device) {}
  float timed(const Work& work);

  Device& device_;
  CUdeviceptr memory_ = 0;
  std::uint64_t used_ = 0;
  CUstream stream_ = nullptr;
  CUevent begin_ = nullptr;
  CUevent end_ = nullptr;
};

}  // namespace loci::cuda
