#include "tools/conformance/verify/launch/blocking_probe.h"

#include <utility>

namespace loci::verify {

BlockingProbe::BlockingProbe(const loci_device_api& api, const loci_host_api& host,
                             loci_device* device, BusyWork* busy, loci_stream* stream)
    : api_(api), host_(host), stream_(stream) {
  if (busy == nullptr) return;
  busy->enqueue(stream);
  note(api_.event_create(device, /*flags=*/0, &event_));
  if (event_ != nullptr) note(api_.event_record(event_, stream));
}

std::optional<bool> BlockingProbe::returned_early() {
  if (event_ == nullptr) return std::nullopt;
  std::uint32_t done = 0;
  note(api_.event_query(event_, &done));
  note(api_.stream_synchronize(stream_));
  api_.event_destroy(std::exchange(event_, nullptr));
  return done == 0;
}

void BlockingProbe::note(loci_error* error) const {
  if (error != nullptr) host_.error_release(error);
}

}  // namespace loci::verify
