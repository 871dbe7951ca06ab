#include "tools/cuda_double/cupti/records.h"

#include <mutex>
#include <set>
#include <string>

namespace loci::cupti_double {
namespace {

using cuda_double::WorkPlace;

// Clients keep the pointer.
const char* kept_name(const char* name) {
  static std::mutex mutex;
  static auto* const names = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return names->emplace(name).first->c_str();
}

std::uint8_t memory_kind(WorkPlace place) {
  switch (place) {
    case WorkPlace::kDevice: return CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    case WorkPlace::kPinned: return CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
    default: return CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  }
}

std::uint8_t copy_kind(const WorkActivity& work) {
  const bool from_device = work.from == WorkPlace::kDevice;
  const bool to_device = work.to == WorkPlace::kDevice;
  if (from_device) {
    return to_device ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOD : CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  }
  return to_device ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOD : CUPTI_ACTIVITY_MEMCPY_KIND_HTOH;
}

// Fills the fields that records of all kinds have.
template <typename Record>
void fill_common(Record& record, CUpti_ActivityKind kind, const WorkActivity& work) {
  record.kind = kind;
  record.start = work.begin_ns;
  record.end = work.end_ns;
  record.deviceId = static_cast<std::uint32_t>(work.device);
  record.contextId = static_cast<std::uint32_t>(work.context);
  record.streamId = static_cast<std::uint32_t>(work.stream);
  record.correlationId = work.correlation;
  record.graphNodeId = work.node;
}

}  // namespace

CUpti_ActivityKernel10 kernel_record(const WorkActivity& work) {
  CUpti_ActivityKernel10 record{};
  fill_common(record, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, work);
  record.name = kept_name(work.name);
  record.gridX = static_cast<std::int32_t>(work.grid[0]);
  record.gridY = static_cast<std::int32_t>(work.grid[1]);
  record.gridZ = static_cast<std::int32_t>(work.grid[2]);
  record.blockX = static_cast<std::int32_t>(work.block[0]);
  record.blockY = static_cast<std::int32_t>(work.block[1]);
  record.blockZ = static_cast<std::int32_t>(work.block[2]);
  record.registersPerThread = static_cast<std::uint16_t>(work.registers);
  record.staticSharedMemory = static_cast<std::int32_t>(work.static_shared);
  record.dynamicSharedMemory = static_cast<std::int32_t>(work.dynamic_shared);
  return record;
}

CUpti_ActivityMemcpy6 copy_record(const WorkActivity& work) {
  CUpti_ActivityMemcpy6 record{};
  fill_common(record, CUPTI_ACTIVITY_KIND_MEMCPY, work);
  record.copyKind = copy_kind(work);
  record.srcKind = memory_kind(work.from);
  record.dstKind = memory_kind(work.to);
  record.bytes = work.bytes;
  record.copyCount = 1;
  return record;
}

CUpti_ActivityMemcpyPtoP4 peer_copy_record(const WorkActivity& work) {
  CUpti_ActivityMemcpyPtoP4 record{};
  fill_common(record, CUPTI_ACTIVITY_KIND_MEMCPY2, work);
  record.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  record.srcKind = memory_kind(work.from);
  record.dstKind = memory_kind(work.to);
  record.bytes = work.bytes;
  record.srcDeviceId = static_cast<std::uint32_t>(work.from_device);
  record.dstDeviceId = static_cast<std::uint32_t>(work.to_device);
  return record;
}

CUpti_ActivityMemset4 fill_record(const WorkActivity& work) {
  CUpti_ActivityMemset4 record{};
  fill_common(record, CUPTI_ACTIVITY_KIND_MEMSET, work);
  record.bytes = work.bytes;
  record.value = work.value;
  record.memoryKind = memory_kind(work.to);
  return record;
}

bool is_between_devices(const WorkActivity& work) {
  return work.from == WorkPlace::kDevice && work.to == WorkPlace::kDevice &&
         work.from_device != work.to_device;
}

std::size_t record_bytes(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY: return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMCPY2: return sizeof(CUpti_ActivityMemcpyPtoP4);
    case CUPTI_ACTIVITY_KIND_MEMSET: return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_DRIVER: return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_OVERHEAD: return sizeof(CUpti_ActivityOverhead3);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: return sizeof(CUpti_ActivityExternalCorrelation);
    default: return 0;
  }
}

}  // namespace loci::cupti_double
