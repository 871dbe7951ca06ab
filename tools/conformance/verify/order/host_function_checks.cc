#include "tools/conformance/verify/order/host_function_checks.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "tools/conformance/verify/busy_work.h"

namespace loci::verify {
namespace {

// The work before a call takes much longer than the call, which a plugin may make at once, and the
// call a while, so that what does not wait for its end is seen to.
constexpr int kBusyTimes = 4;
constexpr std::chrono::milliseconds kCallDuration = BusyWork::kDuration / 3;

struct SlowCall {
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};

  static void run(void* context) {
    auto* self = static_cast<SlowCall*>(context);
    ++self->begun;
    std::this_thread::sleep_for(kCallDuration);
    ++self->ended;
  }
};

}  // namespace

void check_host_function(OpenDevice& device) {
  device.require_streams();
  const loci_device_api& api = device.api();
  if (api.launch_host == nullptr) skip("the device leaves functions of the host's to the host");
  const Stream stream(device);
  BusyWork busy(api, device.host(), device.handle(), device.rounded(1), stream.get());
  if (!busy.usable()) skip("copies on the device block the host, so that no work stays queued");
  Event before(device);
  Event behind(device);
  SlowCall call;
  for (int i = 0; i < kBusyTimes; ++i) busy.enqueue(stream.get());
  before.record(stream);
  call_checked("launch_host",
               [&] { return api.launch_host(stream.get(), &SlowCall::run, &call, 1); });
  behind.record(stream);
  bool came_early = false;
  // The begin is read before the end of the work: work that is done by then was done before.
  for (bool done = false; !done && !came_early;) {
    const bool has_begun = call.begun != 0;
    done = before.is_done();
    came_early = has_begun && !done;
  }
  behind.synchronize();
  const int ended = call.ended;
  device.wait(stream.get());
  // Whatever the plugin does not wait for, the call uses what ends with this function.
  while (call.ended < call.begun) std::this_thread::yield();
  if (came_early) fail("a function of the host's is called before the work of its stream is done");
  if (ended == 0) fail("work behind a function of the host's comes before the function has ended");
  if (call.ended != 1) fail("a function of the host's was called {} times", call.ended.load());
}

}  // namespace loci::verify
