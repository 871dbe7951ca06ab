// Finds out if a launch waits for the work that its stream was given before.
#pragma once

#include <loci/abi/device.h>
#include <loci/abi/host.h>

#include <optional>

#include "tools/conformance/verify/busy_work.h"

namespace loci::verify {

class BlockingProbe {
 public:
  // Before the launch: keeps the stream busy. `busy` NULL: nothing is asked.
  BlockingProbe(const loci_device_api& api, const loci_host_api& host, loci_device* device,
                BusyWork* busy, loci_stream* stream);
  // Behind it, once: true if the earlier work was still running; nothing if that cannot be told.
  std::optional<bool> returned_early();

 private:
  void note(loci_error* error) const;

  const loci_device_api& api_;
  const loci_host_api& host_;
  loci_stream* stream_;
  loci_event* event_ = nullptr;
};

}  // namespace loci::verify
