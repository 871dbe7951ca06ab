#include <chrono>
#include <map>
#include <optional>

#include "tools/conformance/generator.h"
#include "tools/conformance/verify/bench.h"
#include "tools/conformance/verify/levels.h"
#include "tools/conformance/verify/order/hand_over_checks.h"
#include "tools/conformance/verify/order/host_function_checks.h"
#include "tools/conformance/verify/order/order_rig.h"
#include "tools/conformance/verify/order/queue_checks.h"
#include "tools/conformance/verify/order/stream_checks.h"

namespace loci::verify {
namespace {

using Clock = std::chrono::steady_clock;

void check_event_query(OpenDevice& device) {
  Rig rig(device);
  Event event(device);
  rig.fill_late(kNew);
  event.record(rig.first);
  while (!event.is_done()) {
  }
  rig.expect(rig.x, kNew, "event_query says that it is done, and the work before it is not");
}

void check_event_synchronize(OpenDevice& device) {
  Rig rig(device);
  Event event(device);
  rig.fill_late(kNew);
  event.record(rig.first);
  event.synchronize();
  rig.expect(rig.x, kNew, "event_synchronize returns before the work is done");
  if (!event.is_done()) fail("an event that was waited for is not done");
}

void check_stream_query(OpenDevice& device) {
  Rig rig(device);
  rig.fill_late(kNew);
  while (!device.is_done(rig.first.get())) {
  }
  rig.expect(rig.x, kNew, "stream_query says that the work is done, and it is not");
}

void check_stream_synchronize(OpenDevice& device) {
  Rig rig(device);
  rig.fill_late(kNew);
  call_checked("stream_synchronize",
               [&] { return device.api().stream_synchronize(rig.first.get()); });
  rig.expect(rig.x, kNew, "stream_synchronize returns before the work is done");
  if (!device.is_done(rig.first.get())) fail("a stream that was waited for is not done");
}

void check_device_synchronize(OpenDevice& device) {
  if (device.api().synchronize == nullptr) skip("the device has no synchronize");
  Rig rig(device);
  Event event(device);
  rig.fill_late(kNew);
  event.record(rig.first);
  rig.second.wait(event.get());
  rig.fill(rig.y, kNew, rig.second);
  call_checked("synchronize", [&] { return device.api().synchronize(device.handle()); });
  rig.expect(rig.x, kNew, "synchronize returns before the work of one stream is done");
  rig.expect(rig.y, kNew, "synchronize returns before the work of the other stream is done");
}

// In one stream: a fill behind work, and copies behind the fill.
void check_copies_in_order(OpenDevice& device) {
  Rig rig(device);
  rig.fill_late(kNew);
  rig.move(rig.y, rig.x, rig.first);
  Bytes host(kOrderedBytes);
  device.read(host.data(), rig.x.at(), kOrderedBytes, rig.first.get());
  device.wait(rig.first.get());
  rig.expect(rig.y, kNew, "a copy on the device does not wait for the work of its stream");
  expect_bytes(host, filled(kNew), "a copy to the host does not wait for the work of its stream");

  rig.fill_late(kOld);
  const Bytes source = filled(kNew);
  device.write(rig.x.at(), source.data(), kOrderedBytes, rig.first.get());
  device.wait(rig.first.get());
  rig.expect(rig.x, kNew, "a copy to the device does not wait for the work of its stream");
}

void check_fill_in_order(OpenDevice& device) {
  Rig rig(device);
  rig.put(rig.y, kOld);
  rig.keep_busy();
  rig.move(rig.x, rig.y, rig.first);
  rig.fill(rig.x, kNew, rig.first);
  device.wait(rig.first.get());
  rig.expect(rig.x, kNew, "a fill does not wait for the work of its stream");
}

void check_wait(OpenDevice& device) {
  Rig rig(device);
  Event event(device);
  rig.fill_late(kNew);
  event.record(rig.first);
  rig.second.wait(event.get());
  rig.move(rig.y, rig.x, rig.second);
  device.wait(rig.second.get());
  rig.expect(rig.y, kNew,
             "work behind stream_wait_event comes before the work behind which the "
             "event was recorded");
}

// A later record, of something that is done, does not undo the wait.
void check_wait_keeps_record(OpenDevice& device) {
  Rig rig(device);
  // The second stream comes to its wait when the later record is made, before the work is done.
  Event gate(device);
  rig.keep_busy();
  gate.record(rig.first);
  rig.second.wait(gate.get());
  Event event(device);
  rig.fill_late(kNew);
  event.record(rig.first);
  rig.second.wait(event.get());
  event.record(rig.third);
  rig.move(rig.y, rig.x, rig.second);
  device.wait(rig.second.get());
  rig.expect(rig.y, kNew,
             "a wait is for the record that was latest when it was called, not for a later one "
             "of work that is done");
}

// A later record, of something that takes long, does not prolong it.
void check_wait_is_no_longer(OpenDevice& device) {
  static constexpr int kAttempts = 5;
  if (device.has_one_queue()) skip("all streams of the device are one queue, as it states");
  Rig rig(device);
  for (int i = 0; i < kAttempts; ++i) {
    // The second stream comes to its wait when the later record is made, behind more work.
    Event gate(device);
    rig.keep_busy();
    gate.record(rig.first);
    rig.second.wait(gate.get());
    Event event(device);
    event.record(rig.third);
    rig.second.wait(event.get());
    for (int more = 0; more < 3; ++more) rig.keep_busy();
    event.record(rig.first);
    rig.move(rig.y, rig.x, rig.second);
    device.wait(rig.second.get());
    const bool early = !device.is_done(rig.first.get());
    device.wait(rig.first.get());
    if (early) return;
  }
  fail("a wait is for the record that was latest when it was called, and it waits for a later one");
}

void check_rerecord(OpenDevice& device) {
  Rig rig(device);
  Event event(device);
  event.record(rig.first);
  event.synchronize();
  rig.fill_late(kNew);
  event.record(rig.first);
  while (!event.is_done()) {
  }
  rig.expect(rig.x, kNew, "an event that is recorded again is still done");
}

void check_unrecorded(OpenDevice& device) {
  device.require_streams();
  Stream stream(device);
  Event event(device);
  if (!event.is_done()) fail("an event that was never recorded is done, and event_query says no");
  event.synchronize();
  stream.wait(event.get());
  device.wait(stream.get());
}

void check_event_destroyed(OpenDevice& device) {
  Rig rig(device);
  rig.fill_late(kNew);
  {
    Event event(device);
    event.record(rig.first);
    rig.second.wait(event.get());
  }
  rig.move(rig.y, rig.x, rig.second);
  device.wait(rig.second.get());
  rig.expect(rig.y, kNew, "a wait ends when its event is destroyed");
  device.wait(rig.first.get());
}

// A free is behind the work of its stream, and what takes its place comes behind the free.
void check_free_in_order(OpenDevice& device) {
  Rig rig(device);
  auto* from = static_cast<std::uint8_t*>(device.allocate(kOrderedBytes, rig.first.get()));
  rig.keep_busy();
  device.fill(from, kOrderedBytes, kNew, 8, rig.first.get());
  device.move(rig.y.at(), from, kOrderedBytes, rig.first.get());
  device.free(from, rig.first.get());
  void* next = device.allocate(kOrderedBytes, rig.first.get());
  device.fill(next, kOrderedBytes, kOld, 8, rig.first.get());
  device.wait(rig.first.get());
  expect_bytes(device.get(next, kOrderedBytes, rig.first.get()), filled(kOld),
               "memory that took the place of freed memory");
  device.free(next, rig.first.get());
  rig.expect(rig.y, kNew, "mem_free does not wait for the work of its stream");
}

void check_priorities(OpenDevice& device) {
  device.require_streams();
  const loci_device_info& info = device.info();
  const Memory memory(device, kOrderedBytes);
  for (const std::int32_t priority : {info.greatest_priority, info.least_priority}) {
    const Stream stream(device, priority);
    device.fill(memory.at(), kOrderedBytes, kNew, 8, stream.get());
    device.wait(stream.get());
    expect_bytes(device.get(memory.at(), kOrderedBytes, stream.get()), filled(kNew),
                 fmt::format("a stream of priority {}", priority));
  }
}

// On the device's clock it is no longer than the host saw, and no shorter than the time between two
// moments of which the host knows that they lie within.
void check_elapsed_order(OpenDevice& device) {
  if (device.api().event_elapsed_ns == nullptr) skip("the device measures no time");
  Rig rig(device);
  Event start(device, LOCI_EVENT_TIMED);
  Event end(device, LOCI_EVENT_TIMED);
  const Clock::time_point before = Clock::now();
  start.record(rig.first);
  start.synchronize();
  const Clock::time_point started = Clock::now();
  rig.keep_busy();
  end.record(rig.first);
  Clock::time_point running = started;
  for (Clock::time_point now = started; !end.is_done(); now = Clock::now()) running = now;
  const std::chrono::nanoseconds most = Clock::now() - before;
  const std::chrono::nanoseconds least = running - started;
  std::uint64_t ns = 0;
  call_checked("event_elapsed_ns",
               [&] { return device.api().event_elapsed_ns(start.get(), end.get(), &ns); });
  if (ns > static_cast<std::uint64_t>(most.count()) * 11 / 10 ||
      ns < static_cast<std::uint64_t>(least.count()) * 9 / 10) {
    fail("event_elapsed_ns gave {} ns for work that the host saw take from {} to {} ns", ns,
         least.count(), most.count());
  }
}

void check_devices(const Target& target) {
  Instance instance(target);
  OpenDevice one(instance, target.index);
  one.require_streams();
  OpenDevice two(instance, target.index == 0 ? 1 : 0);
  Rig rig(one);
  Stream other(two);
  Event event(one);
  Event behind(two);
  rig.fill_late(kNew);
  event.record(rig.first);
  other.wait(event.get());
  behind.record(other);
  behind.synchronize();
  rig.expect(rig.x, kNew, "a stream of another device does not wait for an event");
}

// Work on a few buffers by a few streams, ordered by events where the streams change; the host
// keeps what has to come out.
class RandomSequence {
 public:
  RandomSequence(Rig& rig, std::uint64_t seed) : rig_(rig), bits_(seed) {
    for (int i = 0; i < kBuffers; ++i) {
      buffers_.push_back({Memory(rig.device, kOrderedBytes), kOld, 0});
      rig_.put(buffers_.back().memory, kOld);
    }
  }

  void run() {
    for (int i = 0; i < kSteps; ++i) step();
    rig_.device.wait(rig_.first.get());
    rig_.device.wait(rig_.second.get());
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      rig_.expect(buffers_[i].memory, buffers_[i].pattern,
                  fmt::format("buffer {} after {} random steps on two streams", i, kSteps));
    }
  }

 private:
  static constexpr int kBuffers = 4;
  static constexpr int kSteps = 60;
  struct Buffer {
    Memory memory;
    std::uint64_t pattern;  // what it holds when all is done
    int stream;             // that used it last
  };

  Stream& stream(int number) { return number == 0 ? rig_.first : rig_.second; }

  // Puts the stream behind what the other one did so far. One event serves all the time.
  void use(Buffer& buffer, int number) {
    if (buffer.stream != number) {
      event_.record(stream(buffer.stream));
      stream(number).wait(event_.get());
    }
    buffer.stream = number;
  }

  void step() {
    const int number = static_cast<int>(bits_.below(2));
    if (bits_.below(12) == 0) rig_.keep_busy();
    Buffer& target = buffers_[bits_.below(kBuffers)];
    Buffer& source = buffers_[bits_.below(kBuffers)];
    use(target, number);
    if (bits_.below(2) == 0 || &source == &target) {
      target.pattern = (1 + bits_.below(255)) * 0x0101010101010101;
      rig_.fill(target.memory, target.pattern, stream(number));
      return;
    }
    use(source, number);
    target.pattern = source.pattern;
    rig_.move(target.memory, source.memory, stream(number));
  }

  Rig& rig_;
  conformance::Bits bits_;
  std::vector<Buffer> buffers_;
  Event event_{rig_.device};
};

void check_random(OpenDevice& device) {
  static constexpr std::uint64_t kSequences = 10;
  Rig rig(device);
  for (std::uint64_t seed = 1; seed <= kSequences; ++seed) RandomSequence(rig, seed).run();
}

}  // namespace

std::vector<Check> order_level(const Target& target) {
  const auto bench = std::make_shared<Bench>(target);
  std::vector<Check> checks{
      on_bench("order/event_query", bench, check_event_query),
      on_bench("order/event_synchronize", bench, check_event_synchronize),
      on_bench("order/stream_query", bench, check_stream_query),
      on_bench("order/stream_synchronize", bench, check_stream_synchronize),
      on_bench("order/device_synchronize", bench, check_device_synchronize),
      on_bench("order/copies", bench, check_copies_in_order),
      on_bench("order/fill", bench, check_fill_in_order),
      on_bench("order/free", bench, check_free_in_order),
      on_bench("order/wait", bench, check_wait),
      on_bench("order/wait_keeps_its_record", bench, check_wait_keeps_record),
      on_bench("order/wait_ignores_later_record", bench, check_wait_is_no_longer),
      on_bench("order/record_again", bench, check_rerecord),
      on_bench("order/unrecorded_event", bench, check_unrecorded),
      on_bench("order/event_destroyed", bench, check_event_destroyed),
      on_bench("order/host_function", bench, check_host_function),
      on_bench("order/priorities", bench, check_priorities),
      on_bench("order/elapsed_time", bench, check_elapsed_order),
      on_target("order/between_devices", target, check_devices),
      on_other_devices("order/other_devices", target,
                       {check_event_synchronize, check_stream_synchronize, check_copies_in_order,
                        check_fill_in_order, check_wait}),
      on_bench("order/random_sequences", bench, check_random),
  };
  for (Check& check : queue_checks(bench)) checks.push_back(std::move(check));
  for (Check& check : stream_checks(bench)) checks.push_back(std::move(check));
  for (Check& check : hand_over_checks(bench)) checks.push_back(std::move(check));
  return checks;
}

}  // namespace loci::verify
