// Work that keeps a stream of a device busy for a while, whatever the device computes.
#pragma once

#include <loci/abi/device.h>
#include <loci/abi/host.h>

#include <chrono>
#include <cstdint>

namespace loci::verify {

// Copies between two pieces of memory of its own, as many as take about `kDuration`. Errors of the
// device, such as that it has no memory, leave it not usable(). `host` is that of the plugin's
// instance.
class BusyWork {
 public:
  static constexpr std::chrono::milliseconds kDuration{30};

  // Measures in that stream how long a copy takes, and waits for it.
  BusyWork(const loci_device_api& api, const loci_host_api& host, loci_device* device,
           std::uint64_t chunk, loci_stream* stream);
  // The streams have ended their work, but for the last one that was kept busy, which is waited
  // for.
  ~BusyWork();
  BusyWork(const BusyWork&) = delete;
  BusyWork& operator=(const BusyWork&) = delete;

  // False if the device's copies block, or one failed: then nothing keeps it busy.
  [[nodiscard]] bool usable() const { return count_ > 0; }
  // One stream at a time.
  void enqueue(loci_stream* stream);

 private:
  void measure();
  bool copy_once();
  bool wait();

  const loci_device_api& api_;
  const loci_host_api& host_;
  loci_device* device_;
  loci_stream* stream_;
  std::uint64_t bytes_;
  void* source_ = nullptr;
  void* target_ = nullptr;
  std::int64_t count_ = 0;
};

}  // namespace loci::verify
