// A device as programs see it: what it says of itself, and how much of its memory is used.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/cuda_double/driver/settings.h"

namespace loci::cuda_double {

class Context;
class Pool;

class Device {
 public:
  // `number` is that among all, of which CUDA_VISIBLE_DEVICES may hide some.
  Device(int ordinal, int number, const Settings& settings);
  ~Device();

  [[nodiscard]] int ordinal() const { return ordinal_; }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string bus_id() const;
  // Throws DriverError for an attribute that there is not.
  [[nodiscard]] int attribute(CUdevice_attribute which) const;
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] std::uint64_t free() const { return total_ - used_; }

  // Counts memory in. Throws DriverError (out of memory).
  void take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) { used_ -= bytes; }

  std::shared_ptr<Context> primary;  // one object for all lives of the primary context
  unsigned primary_flags = 0;
  // The error that ended its contexts, and all that will be made: as a device that needs the
  // process to end.
  CUresult error = CUDA_SUCCESS;
  std::string error_text;
  std::shared_ptr<Pool> default_pool;
  std::shared_ptr<Pool> current_pool;
  std::vector<Pool*> pools;  // that exist

 private:
  const int ordinal_;
  const int number_;
  const std::uint64_t total_;
  const Capability capability_;
  std::uint64_t used_ = 0;
};

}  // namespace loci::cuda_double
