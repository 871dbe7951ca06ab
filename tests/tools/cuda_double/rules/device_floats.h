// Floats of a device.
#pragma once

#include <vector>

#include "driver_test.h"

namespace loci::cuda_rules {

class DeviceFloats {
 public:
  explicit DeviceFloats(const std::vector<float>& values)
      : count_(values.size()), memory_(values.size() * sizeof(float)) {
    must(cu().cuMemcpyHtoD(memory_, values.data(), values.size() * sizeof(float)));
  }
  operator CUdeviceptr() const { return memory_; }
  // Reads by a blocking copy.
  [[nodiscard]] std::vector<float> values() const {
    std::vector<float> values(count_);
    must(cu().cuMemcpyDtoH(values.data(), memory_, count_ * sizeof(float)));
    return values;
  }

 private:
  std::size_t count_;
  DeviceMemory memory_;
};

}  // namespace loci::cuda_rules
