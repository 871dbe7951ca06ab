#include "tools/conformance/verify/order/order_rig.h"

namespace loci::verify {

Rig::Rig(OpenDevice& opened)
    : device((opened.require_streams(), opened.require_allocations(kRigAllocations), opened)),
      first(opened),
      second(opened),
      third(opened),
      x(opened, kOrderedBytes),
      y(opened, kOrderedBytes),
      busy(opened.api(), opened.host(), opened.handle(), opened.rounded(1), first.get()) {
  if (!busy.usable()) skip("copies on the device block the host, so that no work stays queued");
  put(x, kOld);
  put(y, kOld);
}

Rig::~Rig() {
  for (const Stream* stream : {&first, &second, &third}) {
    loci_error* error = device.api().stream_synchronize(stream->get());
    if (error != nullptr) device.host().error_release(error);
  }
}

void Rig::put(const Memory& memory, std::uint64_t pattern) {
  device.put(memory.at(), filled(pattern), third.get());
}

void Rig::fill_late(std::uint64_t pattern) {
  keep_busy();
  fill(x, pattern, first);
}

void Rig::fill(const Memory& memory, std::uint64_t pattern, const Stream& stream) {
  device.fill(memory.at(), kOrderedBytes, pattern, 8, stream.get());
}

void Rig::move(const Memory& target, const Memory& source, const Stream& stream) {
  device.move(target.at(), source.at(), kOrderedBytes, stream.get());
}

void Rig::expect(const Memory& memory, std::uint64_t pattern, const std::string& what) {
  expect_bytes(device.get(memory.at(), kOrderedBytes, third.get()), filled(pattern), what);
}

}  // namespace loci::verify
