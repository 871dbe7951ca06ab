#include "tools/conformance/verify/device_probe.h"

#include "tools/conformance/verify/open_device.h"

namespace loci::verify {

void probe_device(const Target& target) {
  static constexpr std::uint64_t kBytes = 4096;
  Instance instance(target);
  OpenDevice device(instance, target.index);
  device.require_memory();
  const Stream stream(device);
  const Memory memory(device, kBytes);
  device.put(memory.at(), Bytes(kBytes), stream.get());
  device.get(memory.at(), kBytes, stream.get());
}

}  // namespace loci::verify
