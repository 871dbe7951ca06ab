#include "tools/conformance/verify/rehearsal.h"

#include <fmt/format.h>

#include <atomic>
#include <barrier>
#include <thread>

namespace loci::verify {
namespace {

constexpr int kThreadRounds = 20;

class Rehearsal {
 public:
  Rehearsal(const Rehearsed& rehearsed, const LaunchPlace& place, const loci_launch& launch)
      : subject_(rehearsed),
        one_(place, launch, rehearsed.counts, /*turns=*/false),
        place_(place),
        launch_(launch) {}

  std::string run() {
    if (!one_.usable()) return {};
    want_ = one_.run(subject_.kernel);
    if (want_.empty() || one_.run(subject_.kernel) != want_) return {};
    std::string wrong = try_other_shape();
    if (wrong.empty()) wrong = try_aliases();
    if (wrong.empty() && subject_.with_threads) wrong = try_overlapping();
    return wrong;
  }

 private:
  std::string try_other_shape() {
    if (subject_.other == nullptr || one_.run(*subject_.other) == want_) return {};
    return fmt::format(
        "{} says that it is shape-agnostic, and what was prepared for the shape {} computes "
        "something else than what is prepared for the shape of this launch",
        subject_.name, subject_.other_shape);
  }

  std::string try_aliases() {
    for (std::uint64_t i = 0; i < subject_.def.alias_count; ++i) {
      const loci_alias& alias = subject_.def.aliases[i];
      if (!one_.can_alias(alias) || one_.run(subject_.kernel, &alias) == want_) continue;
      return fmt::format(
          "{} says that output {} may lie in the memory of input {}, and computes something else "
          "when it does",
          subject_.name, alias.output, alias.input);
    }
    return {};
  }

  std::string try_overlapping() {
    LaunchCopy two(place_, launch_, subject_.counts, /*turns=*/true);
    if (!two.usable()) return {};
    const Contents want = two.run(subject_.kernel);
    if (want.empty() || two.run(subject_.kernel) != want) return {};
    if (!run_queued(two, want) || !run_in_threads(two, want)) {
      return fmt::format(
          "launches of {} are not re-entrant: two of one prepared kernel at the same time, on "
          "different arguments, compute something else than one after the other",
          subject_.name);
    }
    return {};
  }

  // One behind the other in a stream that comes to them when both were launched.
  bool run_queued(LaunchCopy& two, const Contents& want) {
    if (one_.stream() == nullptr) return true;
    one_.reset();
    two.reset();
    if (subject_.keep_busy) subject_.keep_busy(one_.stream());
    const bool started =
        one_.start(subject_.kernel, one_.stream()) && two.start(subject_.kernel, one_.stream());
    return one_.finish() && started && one_.read() == want_ && two.read() == want;
  }

  bool run_in_threads(LaunchCopy& two, const Contents& want) {
    std::atomic<bool> right{true};
    std::barrier start(2);
    const auto work = [&](LaunchCopy& copy, const Contents& expected) {
      for (int i = 0; i < kThreadRounds; ++i) {
        copy.reset();
        start.arrive_and_wait();
        const bool done = copy.start(subject_.kernel) && copy.finish();
        if (!done || copy.read() != expected) right = false;
      }
    };
    std::thread other([&] { work(two, want); });
    work(one_, want_);
    other.join();
    return right;
  }

  const Rehearsed& subject_;
  LaunchCopy one_;
  const LaunchPlace& place_;
  const loci_launch& launch_;
  Contents want_;
};

}  // namespace

std::string rehearse(const Rehearsed& rehearsed, const LaunchPlace& place,
                     const loci_launch& launch) {
  if (!LaunchCopy::suits(launch, rehearsed.counts)) return {};
  return Rehearsal(rehearsed, place, launch).run();
}

}  // namespace loci::verify
