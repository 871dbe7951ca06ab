#include "tools/conformance/verify/capture/capture_change_checks.h"

#include <algorithm>
#include <cctype>

#include "tools/conformance/verify/capture/capture_rig.h"
#include "tools/conformance/verify/refusal.h"

namespace loci::verify {
namespace {

constexpr std::uint32_t kSource = 0;
constexpr std::uint32_t kTarget = 1;

// Returns the result of the op, not captured, for a source with that pattern.
Bytes plain_result(CaptureRig& rig, const SampleOp& op, std::uint64_t pattern) {
  const Memory source(rig.device, kOrderedBytes);
  const Memory target(rig.device, kOrderedBytes);
  rig.put(source, pattern);
  op.enqueue(rig.third, target, source, 0);
  return rig.device.get(target.at(), kOrderedBytes, rig.third.get());
}

void expect_result(CaptureRig& rig, const Memory& memory, const Bytes& want,
                   const std::string& what) {
  rig.device.wait(rig.first.get());
  expect_bytes(rig.device.get(memory.at(), kOrderedBytes, rig.third.get()), want, what);
}

struct Results {
  Bytes of_new;
  Bytes of_third;
};
Results results_of(CaptureRig& rig, const SampleOp& op) {
  return {plain_result(rig, op, kNew), plain_result(rig, op, kThird)};
}

// y from x, patched to be from z, and then to be w.
void check_patched(CaptureRig& rig, const SampleOp& op) {
  const Results want = results_of(rig, op);
  const Memory w(rig.device, kOrderedBytes);
  rig.put(w, kOld);
  rig.put(rig.x, kNew);
  rig.put(rig.z, kThird);
  rig.put(rig.y, kOld);
  const CapturedGraph graph = record(rig, op, rig.y, rig.x);
  Executable exec = graph.instantiate();
  const bool has_moved = exec.patch(1, kSource, rig.z.at());
  exec.launch(rig.first);
  expect_result(rig, rig.y, has_moved ? want.of_third : want.of_new,
                fmt::format("a launch of a {} behind a patch of its source, which {}", op.name,
                            has_moved ? "succeeded" : "was unsupported"));
  rig.put(rig.y, kOld);
  const bool goes_to_w = exec.patch(1, kTarget, w.at());
  exec.launch(rig.first);
  expect_result(rig, goes_to_w ? w : rig.y, has_moved ? want.of_third : want.of_new,
                fmt::format("a launch of a {} behind a patch of its target, which {}", op.name,
                            goes_to_w ? "succeeded" : "was unsupported"));
  rig.expect(goes_to_w ? rig.y : w, kOld,
             fmt::format("a launch of a {} writes the wrong one of two targets", op.name));
}

void check_patch(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  for (const SampleOp& op : sample_ops(rig)) check_patched(rig, op);
}

void check_patch_is_for_later(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  for (const SampleOp& op : sample_ops(rig)) {
    const Results want = results_of(rig, op);
    rig.put(rig.z, kThird);
    const CapturedGraph graph = record(rig, op, rig.y, rig.x);
    Executable exec = graph.instantiate();
    rig.fill_late(kNew);
    exec.launch(rig.first);
    exec.patch(1, kSource, rig.z.at());
    expect_result(rig, rig.y, want.of_new,
                  fmt::format("a launch of a {} that was queued before a patch", op.name));
  }
}

void check_patch_refused(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  const std::vector<SampleOp> ops = sample_ops(rig);
  const Results want = results_of(rig, ops.back());
  rig.put(rig.x, kNew);
  const CapturedGraph graph = record(rig, ops.back(), rig.y, rig.x);
  Executable exec = graph.instantiate();
  expect_refusal("a patch of an item that is not there", kAnyCode, [&] {
    if (exec.patch(99, kSource, rig.z.at())) return;
    throw PluginError(LOCI_CODE_UNSUPPORTED, "patch is unsupported");
  });
  expect_refusal("a patch of an argument that is not there", kAnyCode, [&] {
    if (exec.patch(1, 17, rig.z.at())) return;
    throw PluginError(LOCI_CODE_UNSUPPORTED, "patch is unsupported");
  });
  exec.launch(rig.first);
  expect_result(rig, rig.y, want.of_new, "a launch behind patches that were refused");
}

// From x to y, updated to from z to w.
void check_update(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  const Memory w(rig.device, kOrderedBytes);
  for (const SampleOp& op : sample_ops(rig)) {
    const Results want = results_of(rig, op);
    rig.put(rig.x, kNew);
    rig.put(rig.z, kThird);
    rig.put(rig.y, kOld);
    rig.put(w, kOld);
    Executable exec = record(rig, op, rig.y, rig.x).instantiate();
    CapturedGraph other = record(rig, op, w, rig.z);
    const bool is_updated = exec.update(other).empty();
    other.destroy();
    exec.launch(rig.first);
    expect_result(rig, is_updated ? w : rig.y, is_updated ? want.of_third : want.of_new,
                  fmt::format("a launch of a {} behind an update, which {}", op.name,
                              is_updated ? "succeeded" : "was unsupported"));
    rig.expect(is_updated ? rig.y : w, kOld, "a launch writes the wrong one of two targets");
  }
}

void check_update_is_for_later(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  rig.put(rig.z, kThird);
  Executable exec = record_copy(rig, rig.y, rig.x).instantiate();
  const CapturedGraph other = record_copy(rig, rig.y, rig.z);
  rig.fill_late(kNew);
  exec.launch(rig.first);
  exec.update(other);
  rig.expect_behind(rig.first, rig.y, kNew, "a launch that was queued before an update");
}

// It names the first node that differs, at least by its number.
void expect_reason(const std::string& reason, const char* what) {
  if (reason.empty()) fail("an update to {} has to be unsupported, and is not", what);
  const bool names_node = std::any_of(reason.begin(), reason.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!names_node) {
    fail("an update to {} is unsupported, and the text does not say which node differs: {}", what,
         reason);
  }
}

void check_update_refused(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  const std::vector<SampleOp> ops = sample_ops(rig);
  rig.put(rig.x, kNew);
  Executable exec = record_copy(rig, rig.y, rig.x).instantiate();
  Recorder recorder(capturer, rig.first);
  recorder.copy(rig.z, rig.x);
  recorder.copy(rig.z, rig.x);
  const CapturedGraph longer = recorder.end();
  expect_reason(exec.update(longer), "a graph of one copy more");
  if (ops.size() > 1) {
    const CapturedGraph other = record(rig, ops.back(), rig.z, rig.x);
    expect_reason(exec.update(other), "a graph with a kernel for a copy");
  }
  Recorder nothing(capturer, rig.first);
  const CapturedGraph empty = nothing.end();
  expect_reason(exec.update(empty), "a graph of nothing");
  exec.launch(rig.first);
  rig.expect_behind(rig.first, rig.y, kNew, "a launch behind updates that were refused");
  rig.expect(rig.z, kOld, "an update that was refused is launched");
}

}  // namespace

std::vector<Check> capture_change_checks(const CaptureBenchPtr& bench) {
  return {
      on_capturer("capture/patch", bench, check_patch),
      on_capturer("capture/patch_is_for_later_launches", bench, check_patch_is_for_later),
      on_capturer("capture/patch_refused", bench, check_patch_refused),
      on_capturer("capture/update", bench, check_update),
      on_capturer("capture/update_is_for_later_launches", bench, check_update_is_for_later),
      on_capturer("capture/update_refused", bench, check_update_refused),
  };
}

}  // namespace loci::verify
