#include "tools/conformance/verify/order/stream_checks.h"

#include <atomic>
#include <thread>

#include "tools/conformance/verify/order/order_rig.h"

namespace loci::verify {
namespace {

// Large enough to run for a while where the call does not wait for it.
constexpr std::uint64_t kLongBytes = std::uint64_t{32} << 20;

// Without work that keeps the stream busy, which a device has to do without if all its copies say
// that they waited.
void check_blocked_on_device(OpenDevice& device) {
  static constexpr int kCopies = 4;
  device.require_streams();
  const Stream stream(device);
  const Memory source(device, kLongBytes);
  const Memory target(device, kLongBytes);
  for (int i = 0; i < kCopies; ++i) {
    if (!device.move(target.at(), source.at(), kLongBytes, stream.get())) continue;
    if (!device.is_done(stream.get())) {
      device.wait(stream.get());
      fail(
          "a copy on the device of {} bytes says in *out_blocked that the host waited for it, and "
          "its stream is not done",
          kLongBytes);
    }
  }
  device.wait(stream.get());
}

// A copy to the host that the host waited for has brought its bytes.
void check_blocked_to_host(OpenDevice& device) {
  Rig rig(device);
  rig.fill_late(kNew);
  Bytes host = filled(kOld);
  const bool blocked = device.read(host.data(), rig.x.at(), kOrderedBytes, rig.first.get());
  const Bytes seen = host;
  device.wait(rig.first.get());
  if (!blocked) return;
  expect_bytes(seen, filled(kNew),
               "a copy to the host says in *out_blocked that the host waited for it, and its bytes "
               "are not there");
}

// The host may change the source of a copy to the device for which it waited.
void check_blocked_to_device(OpenDevice& device) {
  Rig rig(device);
  rig.keep_busy();
  Bytes source = filled(kNew);
  const bool blocked = device.write(rig.x.at(), source.data(), kOrderedBytes, rig.first.get());
  if (blocked) source = filled(kOld);
  device.wait(rig.first.get());
  rig.expect(rig.x, kNew,
             "a copy to the device says in *out_blocked that the host waited for it, and reads its "
             "source later");
}

// Work of a destroyed stream still runs, and whoever waits for its events waits for that work.
void check_destroyed(OpenDevice& device) {
  Rig rig(device);
  Event gate(device);
  Event event(device);
  rig.keep_busy();
  gate.record(rig.first);
  {
    Stream doomed(device);
    doomed.wait(gate.get());
    rig.fill(rig.x, kNew, doomed);
    rig.move(rig.y, rig.x, doomed);
    event.record(doomed);
  }
  event.synchronize();
  rig.expect(rig.x, kNew, "work that was enqueued in a stream before stream_destroy never runs");
  rig.expect(rig.y, kNew, "work that was enqueued in a stream before stream_destroy never runs");
}

// One thread enqueues this in a stream that another one uses too: fills of pieces of its own
// memory, each by another number, and an event behind each.
class StreamUser {
 public:
  StreamUser(OpenDevice& device, Stream& stream)
      : device_(device), stream_(stream), memory_(device, kRounds * kPiece), event_(device) {
    device.put(memory_.at(), Bytes(memory_.bytes(), 0), stream.get());
  }

  void run(std::atomic<int>& ready) {
    try {
      for (++ready; ready < kUsers;) std::this_thread::yield();
      for (std::uint64_t round = 1; round <= kRounds; ++round) {
        device_.fill(memory_.at((round - 1) * kPiece), kPiece, round * kStep, 8, stream_.get());
        event_.record(stream_);
        stream_.wait(event_.get());
      }
    } catch (const std::exception& error) {
      wrong_ = error.what();
    }
  }
  void expect() {
    if (!wrong_.empty()) fail("{} threads use one stream at a time: {}", kUsers, wrong_);
    Bytes want;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      want.insert(want.end(), kPiece, static_cast<std::uint8_t>(round));
    }
    expect_bytes(device_.get(memory_.at(), want.size(), stream_.get()), want,
                 fmt::format("{} threads enqueue in one stream at a time, and a fill is lost",
                             static_cast<int>(kUsers)));
  }
  static constexpr int kUsers = 2;

 private:
  static constexpr std::uint64_t kRounds = 100;
  static constexpr std::uint64_t kPiece = 64;
  static constexpr std::uint64_t kStep = 0x0101010101010101;
  OpenDevice& device_;
  Stream& stream_;
  Memory memory_;  // zeros where no fill came
  Event event_;
  std::string wrong_;
};

void check_shared(OpenDevice& device) {
  device.require_streams();
  Stream stream(device);
  StreamUser one(device, stream);
  StreamUser other(device, stream);
  std::atomic<int> ready{0};
  std::thread thread([&] { other.run(ready); });
  one.run(ready);
  thread.join();
  device.wait(stream.get());
  one.expect();
  other.expect();
}

}  // namespace

std::vector<Check> stream_checks(const std::shared_ptr<Bench>& bench) {
  return {
      on_bench("order/copies_on_the_device_that_waited", bench, check_blocked_on_device),
      on_bench("order/copies_to_the_host_that_waited", bench, check_blocked_to_host),
      on_bench("order/copies_to_the_device_that_waited", bench, check_blocked_to_device),
      on_bench("order/stream_destroyed", bench, check_destroyed),
      on_bench("order/threads_on_one_stream", bench, check_shared),
  };
}

}  // namespace loci::verify
