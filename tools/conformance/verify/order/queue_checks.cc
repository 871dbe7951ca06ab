#include "tools/conformance/verify/order/queue_checks.h"

#include "tools/conformance/verify/order/order_rig.h"

namespace loci::verify {
namespace {

// Work of a second stream ends while the first one is busy: with several pieces of work, as a
// device may run one piece at a time.
void check_independent(OpenDevice& device) {
  static constexpr int kAttempts = 5;
  static constexpr int kPieces = 3;
  device.require_streams();
  if (device.has_one_queue()) skip("all streams of the device are one queue, as it states");
  Rig rig(device);
  for (int i = 0; i < kAttempts; ++i) {
    for (int piece = 0; piece < kPieces; ++piece) rig.keep_busy();
    rig.fill(rig.y, kNew, rig.second);
    device.wait(rig.second.get());
    const bool early = !device.is_done(rig.first.get());
    device.wait(rig.first.get());
    if (early) return;
  }
  fail(
      "work of a stream that waits for nothing ends behind what another stream was given before; "
      "streams progress independently, or the device says LOCI_DEVICE_ONE_QUEUE");
}

// Without an event between them.
void check_one_queue(OpenDevice& device) {
  device.require_streams();
  if (!device.has_one_queue()) skip("the device does not state that its streams are one queue");
  Rig rig(device);
  rig.fill_late(kNew);
  rig.move(rig.y, rig.x, rig.second);
  device.wait(rig.second.get());
  rig.expect(rig.y, kNew,
             "the device says LOCI_DEVICE_ONE_QUEUE, and work of one stream comes before what "
             "another one was given earlier");
}

}  // namespace

std::vector<Check> queue_checks(const std::shared_ptr<Bench>& bench) {
  return {
      on_bench("order/independent_streams", bench, check_independent),
      on_bench("order/one_queue", bench, check_one_queue),
  };
}

}  // namespace loci::verify
