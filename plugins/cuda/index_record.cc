#include "index_record.h"

#include <atomic>
#include <cstring>

#include "device.h"

namespace loci::cuda {

IndexRecord::IndexRecord(Device& device) : device_(device) {
  void* memory = nullptr;
  device.check(
      device.driver()->cuMemHostAlloc(&memory, sizeof(IndexFault),
                                      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
      "opening the device");
  std::memset(memory, 0, sizeof(IndexFault));
  fault_ = static_cast<IndexFault*>(memory);
}

IndexRecord::~IndexRecord() { device_.driver()->cuMemFreeHost(fault_); }

std::string IndexRecord::text() const {
  const std::atomic_ref<std::uint32_t> is_written(fault_->is_written);
  if (is_written.load(std::memory_order_acquire) == 0) return {};
  return std::string("; the ") + fault_->argument + " have " + std::to_string(fault_->index) +
         " at position " + std::to_string(fault_->position) + ", and their table has rows [" +
         std::to_string(fault_->first) + ", " + std::to_string(fault_->rows) + ")";
}

}  // namespace loci::cuda
