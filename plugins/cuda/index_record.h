// An index outside of its table, as the kernel that met it has left it.
#pragma once

#include <string>

#include "kernels/gather/index_fault.h"

namespace loci::cuda {

class Device;

// The record of one device, in pinned memory that its kernels write. Outlives the context's work.
class IndexRecord {
 public:
  // With the device's context current. Throws Error.
  explicit IndexRecord(Device& device);
  ~IndexRecord();
  IndexRecord(const IndexRecord&) = delete;
  IndexRecord& operator=(const IndexRecord&) = delete;

  // For a launch, whose indices are that argument: "ids of embedding"; STATIC.
  [[nodiscard]] IndexWatch watch(const char* argument) const { return {fault_, argument}; }
  // "; the ids of embedding have 9 at position 4, and their table has rows [0, 3)"; empty if no
  // kernel has met such an index.
  [[nodiscard]] std::string text() const;

 private:
  const Device& device_;
  IndexFault* fault_ = nullptr;
};

}  // namespace loci::cuda
