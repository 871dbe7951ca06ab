#include "host_device.h"

#include <string>
#include <utility>

#include "device.h"
#include "fault.h"

namespace loci::faulty {
namespace {

void require_first(std::uint32_t index) {
  if (index == 0) return;
  throw sdk::Error(LOCI_CODE_NOT_FOUND, "[faulty] there is no device " + std::to_string(index));
}

}  // namespace

void HostDevice::describe(FaultyPlugin&, std::uint32_t index, loci_device_info& info) {
  require_first(index);
  info.flags = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY;
  info.name = sdk::to_abi("faulty, in the host's memory");
  info.alignment = 64;
  info.min_chunk = 64;
}

HostDevice::HostDevice(FaultyPlugin&, const sdk::Host&, std::uint32_t index) {
  require_first(index);
}

void run_in(loci_stream* stream, const Work& work, std::function<void()> task) {
  if (works_in_host_memory()) return task();
  sdk::stream_of<Device>(stream)->run(work, std::move(task));
}

}  // namespace loci::faulty
