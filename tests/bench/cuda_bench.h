// The rows of bench_cuda share these: the driver called directly, and turns of that and of Loci.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "driver_table.h"
#include "tests/bench/report.h"

namespace loci::bench {

// Throws std::runtime_error that names the driver's error.
void must(CUresult status, const char* what);

// The first device by the driver alone, in the context that Loci uses too.
class RawDevice {
 public:
  RawDevice();
  ~RawDevice();
  RawDevice(const RawDevice&) = delete;
  RawDevice& operator=(const RawDevice&) = delete;

  [[nodiscard]] CUstream stream() const { return stream_; }
  void synchronize() const;

 private:
  CUdevice device_ = 0;
  CUstream stream_ = nullptr;
};

class RawMemory {
 public:
  explicit RawMemory(std::size_t bytes);  // all zero
  ~RawMemory();
  RawMemory(const RawMemory&) = delete;
  RawMemory& operator=(const RawMemory&) = delete;

  [[nodiscard]] CUdeviceptr address() const { return address_; }

 private:
  CUdeviceptr address_ = 0;
};

// Pinned memory of the host.
class RawPinned {
 public:
  explicit RawPinned(std::size_t bytes);
  ~RawPinned();
  RawPinned(const RawPinned&) = delete;
  RawPinned& operator=(const RawPinned&) = delete;

  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

// A call that enqueues work, and what waits for all of it.
struct Work {
  std::function<void()> call;
  std::function<void()> wait;
};

struct CudaBench {
  Report& report;
  const RawDevice& device;
  // On the double each program runs once, with little work, to show that it does: no row has a
  // budget there, and its times are of no device.
  bool emulated = false;

  // The larger number on a device.
  template <class T>
  [[nodiscard]] T sized(T on_a_device, T emulated_one) const {
    return emulated ? emulated_one : on_a_device;
  }
  // The median microseconds of a call of each: in turns, many calls and one wait in each, so that
  // what the host needs to enqueue is hidden where the device is the slower one.
  [[nodiscard]] std::vector<double> us_in_turns(const std::vector<Work>& works) const;
  // A row that should be at least `share` of the peer, or, of what is better less, at most.
  void add(const std::string& name, double value, const std::string& unit, bool less_is_better,
           const std::string& peer, double peer_value, double share) const;
  // On the double without its peers, and marked as emulated.
  void add(Row row) const;
};

void measure_matmul(const CudaBench& bench);
void measure_conv2d(const CudaBench& bench);
void measure_bandwidth(const CudaBench& bench);
void measure_latency(const CudaBench& bench);
void measure_copies(const CudaBench& bench);
void measure_replay(const CudaBench& bench);
void measure_profiler(const CudaBench& bench);
void measure_transformer(const CudaBench& bench);

}  // namespace loci::bench
