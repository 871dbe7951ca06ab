// The kernel that tells a conditional node what to do.
#pragma once

#include <mutex>
#include <string>

#include "driver.h"

namespace loci::cuda_graph {

// Sets conditions on one device. What kernels set them by is in NVIDIA's device runtime, a library
// of the toolkit that the driver links to the kernel when it is first asked for. Thread-safe.
class ConditionSetter {
 public:
  // `library`: a path; empty: wherever toolkits put it; "0": it is not there.
  explicit ConditionSetter(std::string library) : library_(std::move(library)) {}
  ConditionSetter(const ConditionSetter&) = delete;
  ConditionSetter& operator=(const ConditionSetter&) = delete;
  // While the device is open.
  void unload(const Driver& driver);

  // Throws Error(LOCI_CODE_UNSUPPORTED) where there is no such library, or the driver does not link
  // it.
  void prepare(const Driver& driver) { static_cast<void>(function(driver)); }
  // Enqueues it: the condition becomes true if the byte is not 0, or, opposite, if it is. Throws
  // Error.
  void enqueue(const Driver& driver, CUstream stream, CUgraphConditionalHandle condition,
               CUdeviceptr byte, bool is_opposite);

 private:
  CUfunction function(const Driver& driver);

  const std::string library_;
  std::mutex mutex_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

}  // namespace loci::cuda_graph
