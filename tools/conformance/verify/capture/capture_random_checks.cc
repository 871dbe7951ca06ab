#include "tools/conformance/verify/capture/capture_random_checks.h"

#include <deque>
#include <optional>

#include "tools/conformance/generator.h"
#include "tools/conformance/verify/capture/capture_rig.h"
#include "tools/conformance/verify/refusal.h"

namespace loci::verify {
namespace {

// A copy between buffers, which are given by their numbers.
struct Copy {
  std::size_t target;
  std::size_t source;
};
using Copies = std::vector<Copy>;

struct KnownGraph {
  CapturedGraph graph;
  Copies copies;
};

struct KnownExecutable {
  Executable exec;
  Copies copies;
};

// A stream, and what it records.
struct Lane {
  explicit Lane(OpenDevice& device) : stream(device) {}

  Stream stream;
  std::optional<Copies> recorded;
  bool is_valid = true;
};

class RandomCalls {
 public:
  RandomCalls(OpenCapturer& capturer, std::uint64_t seed)
      : capturer_(capturer), device_(capturer.device()), bits_(seed), event_(device_) {
    for (int i = 0; i < kLanes; ++i) lanes_.emplace_back(device_);
    for (std::size_t i = 0; i < kBuffers; ++i) {
      buffers_.emplace_back(device_, kOrderedBytes);
      patterns_.push_back(kOld);
      device_.put(buffers_.back().at(), filled(kOld), lanes_.front().stream.get());
    }
  }
  ~RandomCalls() {
    try {
      for (Lane& lane : lanes_) capturer_.abort(lane.stream);
    } catch (const std::exception&) {  // a check has failed, which tells of it
    }
  }
  RandomCalls(const RandomCalls&) = delete;
  RandomCalls& operator=(const RandomCalls&) = delete;

  void run() {
    for (int i = 0; i < kSteps; ++i) step();
    for (Lane& lane : lanes_) {
      capturer_.abort(lane.stream);
      device_.wait(lane.stream.get());
    }
    for (std::size_t i = 0; i < kBuffers; ++i) {
      expect_bytes(device_.get(buffers_[i].at(), kOrderedBytes, lanes_.front().stream.get()),
                   filled(patterns_[i]),
                   fmt::format("buffer {} after {} random calls of a capturer", i, kSteps));
    }
  }

 private:
  static constexpr int kLanes = 3;
  static constexpr std::size_t kBuffers = 5;
  static constexpr int kSteps = 120;
  static constexpr std::size_t kMost = 6;  // graphs, and executables

  void step() {
    Lane& lane = lanes_[bits_.below(kLanes)];
    expect_lane(lane);
    switch (bits_.below(10)) {
      case 0: return begin(lane);
      case 1: return end(lane);
      case 2: return misuse(lane);
      case 3: return instantiate();
      case 4: return change();
      case 5: return destroy();
      case 6:
      case 7: return lane.recorded ? copy(lane) : launch(lane);
      default: return lane.recorded ? copy(lane) : work(lane);
    }
  }

  void expect_lane(const Lane& lane) {
    std::uint32_t want = LOCI_CAPTURE_NONE;
    if (lane.recorded) want = lane.is_valid ? LOCI_CAPTURE_ACTIVE : LOCI_CAPTURE_INVALID;
    expect_status(capturer_, lane.stream, want, "among random calls");
  }

  void begin(Lane& lane) {
    if (lane.recorded) {
      expect_refusal("begin in a stream that records", kAnyCode,
                     [&] { capturer_.begin(lane.stream); });
      return;
    }
    capturer_.begin(lane.stream);
    lane.recorded.emplace();
    lane.is_valid = true;
  }

  void end(Lane& lane) {
    if (!lane.recorded || !lane.is_valid) {
      expect_refusal("end in a stream that does not record, or in vain", kAnyCode,
                     [&] { const CapturedGraph graph = capturer_.end(lane.stream); });
    } else if (bits_.below(4) == 0) {
      capturer_.abort(lane.stream);
    } else {
      graphs_.push_back({capturer_.end(lane.stream), *lane.recorded});
    }
    lane.recorded.reset();
  }

  void misuse(Lane& lane) {
    if (!lane.recorded) return capturer_.abort(lane.stream);
    if (bits_.below(3) != 0) return copy(lane);
    expect_refusal("a wait for a stream that records", kAnyCode,
                   [&] { device_.wait(lane.stream.get()); });
    lane.is_valid = false;
  }

  // An invalid recording may refuse it, or not.
  void copy(Lane& lane) {
    if (!lane.is_valid) return;
    const Copy chosen = random_copy();
    lane.recorded->push_back(chosen);
    capturer_.annotate(lane.stream, "copy", lane.recorded->size());
    move(lane, chosen);
  }

  void work(Lane& lane) {
    enter(lane);
    if (bits_.below(2) == 0) {
      const Copy chosen = random_copy();
      move(lane, chosen);
      patterns_[chosen.target] = patterns_[chosen.source];
    } else {
      const std::size_t target = bits_.below(kBuffers);
      patterns_[target] = (1 + bits_.below(255)) * 0x0101010101010101;
      device_.fill(buffers_[target].at(), kOrderedBytes, patterns_[target], 8, lane.stream.get());
    }
    leave(lane);
  }

  void instantiate() {
    if (graphs_.empty() || executables_.size() == kMost) return;
    const KnownGraph& known = graphs_[bits_.below(graphs_.size())];
    executables_.push_back({known.graph.instantiate(), known.copies});
  }

  void launch(Lane& lane) {
    if (executables_.empty()) return work(lane);
    KnownExecutable& known = executables_[bits_.below(executables_.size())];
    enter(lane);
    known.exec.launch(lane.stream);
    leave(lane);
    for (const Copy& each : known.copies) patterns_[each.target] = patterns_[each.source];
  }

  void change() {
    if (executables_.empty()) return;
    KnownExecutable& known = executables_[bits_.below(executables_.size())];
    if (bits_.below(2) == 0) return patch(known);
    if (graphs_.empty()) return;
    const KnownGraph& other = graphs_[bits_.below(graphs_.size())];
    const bool is_updated = known.exec.update(other.graph).empty();
    if (is_updated && other.copies.size() != known.copies.size()) {
      fail("an executable of {} copies is updated to {}", known.copies.size(), other.copies.size());
    }
    if (is_updated) known.copies = other.copies;
  }

  // A copy within a buffer is none.
  void patch(KnownExecutable& known) {
    if (known.copies.empty()) return;
    const std::size_t item = bits_.below(known.copies.size());
    const std::size_t buffer = bits_.below(kBuffers);
    if (buffer == known.copies[item].target) return;
    if (!known.exec.patch(item + 1, 0, buffers_[buffer].at())) return;
    known.copies[item].source = buffer;
  }

  void destroy() {
    if (!graphs_.empty() && (bits_.below(2) == 0 || graphs_.size() >= kMost)) graphs_.pop_front();
    if (!executables_.empty() && bits_.below(3) == 0) executables_.pop_front();
  }

  Copy random_copy() {
    const std::size_t target = bits_.below(kBuffers);
    return {target, (target + 1 + bits_.below(kBuffers - 1)) % kBuffers};
  }
  void move(const Lane& lane, const Copy& copy) {
    device_.move(buffers_[copy.target].at(), buffers_[copy.source].at(), kOrderedBytes,
                 lane.stream.get());
  }

  // All work comes one after the other, wherever it is.
  void enter(Lane& lane) { lane.stream.wait(event_.get()); }
  void leave(Lane& lane) { event_.record(lane.stream); }

  OpenCapturer& capturer_;
  OpenDevice& device_;
  conformance::Bits bits_;
  std::vector<Memory> buffers_;
  std::vector<std::uint64_t> patterns_;
  std::deque<Lane> lanes_;
  Event event_;
  std::deque<KnownGraph> graphs_;
  std::deque<KnownExecutable> executables_;
};

void check_random(OpenCapturer& capturer) {
  static constexpr std::uint64_t kSequences = 30;
  capturer.device().require_streams();
  for (std::uint64_t seed = 1; seed <= kSequences; ++seed) {
    try {
      RandomCalls(capturer, seed).run();
    } catch (const CheckFailed& failed) {
      fail("sequence {}: {}", seed, failed.what());
    }
  }
}

}  // namespace

std::vector<Check> capture_random_checks(const CaptureBenchPtr& bench) {
  return {on_capturer("capture/random_calls", bench, check_random)};
}

}  // namespace loci::verify
