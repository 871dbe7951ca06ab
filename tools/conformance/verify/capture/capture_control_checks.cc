#include "tools/conformance/verify/capture/capture_control_checks.h"

#include <algorithm>

#include "tools/conformance/verify/capture/capture_rig.h"
#include "tools/conformance/verify/refusal.h"

namespace loci::verify {
namespace {

constexpr std::uint64_t kHoldsNot = 0;  // a condition that does not hold

// Memory, the first byte of which decides: whether it holds, and then what tells it from other
// memory.
Bytes deciding_bytes(int number, bool holds) {
  Bytes bytes(kOrderedBytes, static_cast<std::uint8_t>(0x40 + number));
  bytes.front() = holds ? 1 : 0;
  return bytes;
}

// Streams for bodies, and what copies in them move: from each link to the next one, the last of
// which is a condition.
struct CaptureControlRig : CaptureRig {
  static constexpr int kLinks = 4;

  explicit CaptureControlRig(OpenCapturer& opened) : CaptureRig(opened) {
    for (int i = 0; i < kLinks; ++i) links.emplace_back(device, kOrderedBytes);
  }
  [[nodiscard]] const Memory& condition() const { return links.back(); }
  // So that the condition holds for as many rounds.
  void prepare(int rounds) {
    for (int i = 0; i < kLinks; ++i) {
      device.put(links[static_cast<std::size_t>(i)].at(),
                 deciding_bytes(i, kLinks - 1 - i < rounds), third.get());
    }
  }
  // A loop that moves all links on, as the next item of the recording.
  void add_loop(Recorder& recorder) {
    recorder.announce("while");
    capturer.loop_begin(first, second, condition().at());
    for (std::size_t i = links.size() - 1; i > 0; --i) move(links[i], links[i - 1], second);
    capturer.loop_end(first);
  }
  // A branch by z that moves x to y where it holds, and else w.
  void add_branch(Recorder& recorder, const Memory& w) {
    recorder.announce("case");
    capturer.branch_begin(first, second, z.at());
    move(y, x, second);
    capturer.branch_else(first);
    move(y, w, second);
    capturer.branch_end(first);
  }
  void expect_rounds(int rounds) {
    expect_bytes(device.get(condition().at(), kOrderedBytes, third.get()),
                 deciding_bytes(kLinks - 1 - rounds, false),
                 fmt::format("a loop of {} rounds", rounds));
  }

  std::vector<Memory> links;
};

void check_loop_rounds(OpenCapturer& capturer) {
  CaptureControlRig rig(capturer);
  Recorder recorder(capturer, rig.first);
  rig.add_loop(recorder);
  const CapturedGraph graph = recorder.end();
  Executable exec = graph.instantiate();
  for (const int rounds : {2, 0, 1, 3, 0}) {
    rig.prepare(rounds);
    exec.launch(rig.first);
    rig.device.wait(rig.first.get());
    rig.expect_rounds(rounds);
  }
}

// The loop's condition comes from work before it, and work behind it reads what it leaves.
void check_loop_order(OpenCapturer& capturer) {
  CaptureControlRig rig(capturer);
  rig.prepare(0);
  Recorder recorder(capturer, rig.first);
  recorder.copy(rig.condition(), rig.x);
  rig.add_loop(recorder);
  recorder.copy(rig.z, rig.condition());
  const CapturedGraph graph = recorder.end();
  Executable exec = graph.instantiate();
  rig.fill_late(kNew);
  exec.launch(rig.first);
  rig.device.wait(rig.first.get());
  expect_bytes(rig.device.get(rig.z.at(), kOrderedBytes, rig.third.get()),
               deciding_bytes(CaptureControlRig::kLinks - 2, false), "a copy behind a loop");
}

// Both streams are as any other again.
void expect_both_free(CaptureControlRig& rig, const char* when) {
  const auto whether = [&](const Stream& stream, const Memory& memory) {
    expect_status(rig.capturer, stream, LOCI_CAPTURE_NONE, when);
    rig.put(rig.x, kThird);
    rig.put(memory, kOld);
    rig.move(memory, rig.x, stream);
    rig.expect_behind(stream, memory, kThird, fmt::format("plain work of a stream {}", when));
  };
  whether(rig.first, rig.y);
  whether(rig.second, rig.z);
}

void check_loop_runs_nothing(OpenCapturer& capturer) {
  CaptureControlRig rig(capturer);
  rig.prepare(2);
  Recorder recorder(capturer, rig.first);
  rig.add_loop(recorder);
  expect_status(capturer, rig.first, LOCI_CAPTURE_ACTIVE, "behind a loop");
  const CapturedGraph graph = recorder.end();
  Executable exec = graph.instantiate();
  rig.device.wait(rig.second.get());
  expect_bytes(rig.device.get(rig.condition().at(), kOrderedBytes, rig.third.get()),
               deciding_bytes(CaptureControlRig::kLinks - 1, true),
               "a loop is done while it is recorded");
  if (graph.nodes() == 0) fail("stats counts no node of a graph that is a loop");
  expect_both_free(rig, "behind a loop");
}

void check_loop_unfinished(OpenCapturer& capturer) {
  CaptureControlRig rig(capturer);
  Recorder recorder(capturer, rig.first);
  recorder.announce("while");
  capturer.loop_begin(rig.first, rig.second, rig.condition().at());
  rig.move(rig.y, rig.x, rig.second);
  expect_status(capturer, rig.second, LOCI_CAPTURE_ACTIVE, "of the body of a loop");
  expect_refusal("end before the end of a loop", kAnyCode,
                 [&] { const CapturedGraph graph = recorder.end(); });
  expect_both_free(rig, "behind a loop that did not end");
  Recorder again(capturer, rig.first);
  again.announce("while");
  capturer.loop_begin(rig.first, rig.second, rig.condition().at());
  rig.move(rig.y, rig.x, rig.second);
  again.abort();
  expect_both_free(rig, "behind a loop that was given up");
}

void check_loop_refused(OpenCapturer& capturer) {
  CaptureControlRig rig(capturer);
  if (capturer.api().loop_end == nullptr) skip("the capturer has no loops");
  expect_refusal("loop_end in a stream that does not record", kAnyCode,
                 [&] { capturer.loop_end(rig.first); });
  Recorder recorder(capturer, rig.first);
  recorder.announce("while");
  expect_refusal("loop_end without loop_begin", kAnyCode, [&] { capturer.loop_end(rig.first); });
  recorder.abort();
  expect_both_free(rig, "behind a loop_end that was refused");
}

// Item 1 is the loop.
void check_loop_unchanged(OpenCapturer& capturer) {
  CaptureControlRig rig(capturer);
  Recorder recorder(capturer, rig.first);
  rig.add_loop(recorder);
  const CapturedGraph graph = recorder.end();
  Executable exec = graph.instantiate();
  Recorder again(capturer, rig.first);
  rig.add_loop(again);
  const CapturedGraph other = again.end();
  if (exec.update(other).empty()) fail("an update of a graph with a loop has to be unsupported");
  if (exec.patch(1, 0, rig.y.at())) fail("a patch of a loop has to be unsupported");
  rig.prepare(2);
  exec.launch(rig.first);
  rig.device.wait(rig.first.get());
  rig.expect_rounds(2);
}

void check_branch(OpenCapturer& capturer) {
  CaptureControlRig rig(capturer);
  const Memory w(rig.device, kOrderedBytes);
  rig.put(w, kThird);
  rig.put(rig.x, kNew);
  Recorder recorder(capturer, rig.first);
  rig.add_branch(recorder, w);
  const CapturedGraph graph = recorder.end();
  Executable exec = graph.instantiate();
  for (const bool holds : {true, false, false, true}) {
    rig.put(rig.y, kOld);
    rig.put(rig.z, holds ? kOld : kHoldsNot);
    exec.launch(rig.first);
    rig.expect_behind(
        rig.first, rig.y, holds ? kNew : kThird,
        fmt::format("a branch whose condition {}", holds ? "holds" : "does not hold"));
  }
}

// Its first part makes the condition another one.
void check_branch_looks_once(OpenCapturer& capturer) {
  CaptureControlRig rig(capturer);
  const Memory nothing(rig.device, kOrderedBytes);
  rig.put(nothing, kHoldsNot);
  rig.put(rig.x, kNew);
  Recorder recorder(capturer, rig.first);
  recorder.announce("case");
  capturer.branch_begin(rig.first, rig.second, rig.z.at());
  rig.move(rig.z, nothing, rig.second);
  capturer.branch_else(rig.first);
  rig.move(rig.y, rig.x, rig.second);
  capturer.branch_end(rig.first);
  const CapturedGraph graph = recorder.end();
  Executable exec = graph.instantiate();
  exec.launch(rig.first);
  rig.expect_behind(rig.first, rig.z, kHoldsNot, "the first part of a branch");
  rig.expect(rig.y, kOld, "a branch does both parts where the first one changes its condition");
}

void check_branch_refused(OpenCapturer& capturer) {
  CaptureControlRig rig(capturer);
  Recorder recorder(capturer, rig.first);
  recorder.announce("case");
  capturer.branch_begin(rig.first, rig.second, rig.z.at());
  expect_refusal("branch_end without branch_else", kAnyCode,
                 [&] { capturer.branch_end(rig.first); });
  recorder.abort();
  expect_both_free(rig, "behind a branch that was given up");
}

// In each round z chooses what comes to y, and then becomes what x is.
void check_branch_in_loop(OpenCapturer& capturer) {
  CaptureControlRig rig(capturer);
  const Memory w(rig.device, kOrderedBytes);
  rig.put(w, kThird);
  Recorder recorder(capturer, rig.first);
  recorder.announce("while");
  capturer.loop_begin(rig.first, rig.second, rig.condition().at());
  const Stream inner(rig.device);
  capturer.branch_begin(rig.second, inner, rig.z.at());
  rig.move(rig.y, rig.x, inner);
  capturer.branch_else(rig.second);
  rig.move(rig.y, w, inner);
  capturer.branch_end(rig.second);
  for (std::size_t i = rig.links.size() - 1; i > 0; --i) {
    rig.move(rig.links[i], rig.links[i - 1], rig.second);
  }
  capturer.loop_end(rig.first);
  const CapturedGraph graph = recorder.end();
  Executable exec = graph.instantiate();
  rig.put(rig.x, kNew);
  for (const bool holds : {true, false}) {
    rig.put(rig.z, holds ? kOld : kHoldsNot);
    rig.put(rig.y, kOld);
    rig.prepare(2);
    exec.launch(rig.first);
    rig.expect_behind(rig.first, rig.y, holds ? kNew : kThird, "a branch in a loop");
    rig.expect_rounds(2);
  }
}

}  // namespace

std::vector<Check> capture_control_checks(const CaptureBenchPtr& bench) {
  return {
      on_capturer("capture/loop_rounds", bench, check_loop_rounds),
      on_capturer("capture/loop_order", bench, check_loop_order),
      on_capturer("capture/loop_nothing_runs", bench, check_loop_runs_nothing),
      on_capturer("capture/loop_unfinished", bench, check_loop_unfinished),
      on_capturer("capture/loop_refused", bench, check_loop_refused),
      on_capturer("capture/loop_unchanged", bench, check_loop_unchanged),
      on_capturer("capture/branch", bench, check_branch),
      on_capturer("capture/branch_looks_once", bench, check_branch_looks_once),
      on_capturer("capture/branch_refused", bench, check_branch_refused),
      on_capturer("capture/branch_in_loop", bench, check_branch_in_loop),
  };
}

}  // namespace loci::verify
