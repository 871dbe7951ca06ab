#include "tools/conformance/verify/launch/overlap.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "tools/conformance/verify/launch/meeting.h"
#include "tools/conformance/verify/launch/stream_gate.h"

namespace loci::verify {
namespace {

constexpr int kRoundsInStreams = 4;  // by each means
constexpr int kRoundsInThreads = 6;
// So many launches one behind the other, on each side, that some of them meet: kernels may be
// shorter than what the start of two sides differs by.
constexpr std::size_t kMostLaunches = 32;
constexpr std::uint64_t kMostOutputBytes = std::uint64_t{1} << 20;

// A launch whose state carries over from one to the next is none of many.
std::size_t launches_of(const Rehearsed& rehearsed, const loci_launch& launch) {
  if (rehearsed.kernel.state_bytes > 0) return 1;
  std::uint64_t bytes = 1;
  for (std::uint32_t o = 0; o < rehearsed.counts.outputs; ++o) bytes += launch.outputs[o]->bytes;
  return std::clamp<std::size_t>(kMostOutputBytes / bytes, 2, kMostLaunches);
}

class Overlap {
 public:
  Overlap(const Rehearsed& rehearsed, const LaunchPlace& place, const loci_launch& launch)
      : subject_(rehearsed),
        place_(place),
        count_(launches_of(rehearsed, launch)),
        sides_{{{place, launch, rehearsed.counts, /*turns=*/false, count_}, {}},
               {{place, launch, rehearsed.counts, /*turns=*/true, count_}, {}}} {}

  std::string run() {
    for (Side& side : sides_) {
      if (!side.copy.usable()) return {};
      side.want = side.copy.run(subject_.kernel);
      if (side.want.empty() || side.copy.run(subject_.kernel) != side.want) return {};
    }
    if (try_all()) return {};
    ask_device();
    return describe();
  }

 private:
  struct Side {
    LaunchCopy copy;
    Contents want;
  };

  // Returns true if all is right. Those whose results are the same are not worth the time that
  // streams and threads take.
  bool try_all() {
    if (sides_[0].want != sides_[1].want) {
      ++subject_.overlaps->telling;
      return run_queued() && run_in_streams() && run_in_threads();
    }
    return subject_.overlaps->alike++ >= kOverlaps || run_queued();
  }

  // A failure of the overlapping work may have been told to another caller: a device that was lost
  // fails the next launches too.
  void ask_device() {
    for (Side& side : sides_) static_cast<void>(side.copy.run(subject_.kernel));
  }

  // A device that is lost is no matter of the kernel.
  [[nodiscard]] std::string describe() const {
    for (const Side& side : sides_) {
      if (side.copy.is_lost()) return {};
      if (side.copy.error().empty()) continue;
      return fmt::format(
          "launches of {} are not re-entrant: of two of one prepared kernel at the same time one "
          "fails: {}",
          subject_.name, side.copy.error());
    }
    return fmt::format(
        "launches of {} are not re-entrant: two of one prepared kernel at the same time, on "
        "different arguments, compute something else than one after the other",
        subject_.name);
  }

  void reset() {
    for (Side& side : sides_) side.copy.reset();
  }
  [[nodiscard]] bool start_all(Side& side) const {
    for (std::size_t slot = 0; slot < count_; ++slot) {
      if (!side.copy.start_in_slot(subject_.kernel, slot)) return false;
    }
    return true;
  }
  bool are_right() {
    return std::all_of(std::begin(sides_), std::end(sides_),
                       [](Side& side) { return side.copy.all_hold(side.want); });
  }

  // One behind the other in a stream that comes to them when both were launched.
  bool run_queued() {
    LaunchCopy& one = sides_[0].copy;
    LaunchCopy& two = sides_[1].copy;
    if (one.stream() == nullptr) return true;
    reset();
    if (subject_.keep_busy) subject_.keep_busy(one.stream());
    const bool started =
        one.start(subject_.kernel, one.stream()) && two.start(subject_.kernel, one.stream());
    return one.finish() && started && one.read() == sides_[0].want && two.read() == sides_[1].want;
  }

  // In two streams, either of which is the first.
  bool run_in_streams() {
    if (sides_[0].copy.stream() == nullptr) return true;
    StreamGate gate(place_, subject_.keep_busy);
    for (const auto means : {StreamGate::Means::kFunctions, StreamGate::Means::kEvent}) {
      for (int i = 0; i < kRoundsInStreams && gate.can(means); ++i) {
        reset();
        gate.hold(means, sides_[0].copy.stream(), sides_[1].copy.stream());
        bool right = start_all(sides_[i % 2]) && start_all(sides_[1 - i % 2]);
        gate.open();
        for (Side& side : sides_) right = side.copy.finish() && right;
        if (!right || !are_right()) return false;
      }
    }
    return true;
  }

  bool run_in_threads() {
    for (int i = 0; i < kRoundsInThreads; ++i) {
      reset();
      Meeting meeting;
      meeting.open();
      bool right[2] = {true, true};
      const auto work = [&](int number) {
        meeting.arrive();
        const bool started = start_all(sides_[number]);
        right[number] = sides_[number].copy.finish() && started;
      };
      std::thread other([&] { work(1); });
      work(0);
      other.join();
      if (!right[0] || !right[1] || !are_right()) return false;
    }
    return true;
  }

  const Rehearsed& subject_;
  const LaunchPlace& place_;
  std::size_t count_;
  Side sides_[2];
};

}  // namespace

std::string try_overlaps(const Rehearsed& rehearsed, const LaunchPlace& place,
                         const loci_launch& launch) {
  return Overlap(rehearsed, place, launch).run();
}

}  // namespace loci::verify
