#include "tools/conformance/verify/capture/capture_fork_checks.h"

#include "tools/conformance/verify/capture/capture_rig.h"
#include "tools/conformance/verify/profile/record_log.h"
#include "tools/conformance/verify/refusal.h"

namespace loci::verify {
namespace {

using Items = std::vector<std::uint64_t>;

// A copy of x to y, and one of x to z, with nothing between them; then one of z to w, and one of w
// to v behind it. Nothing waits for the first.
struct ForkedGraph {
  explicit ForkedGraph(CaptureRig& rig)
      : w(rig.device, kOrderedBytes),
        v(rig.device, kOrderedBytes),
        graph(record(rig)),
        exec(graph.instantiate()) {
    reset(rig);
  }
  void reset(CaptureRig& rig) const {
    for (const Memory* memory : std::vector<const Memory*>{&rig.x, &rig.y, &rig.z, &w, &v}) {
      rig.put(*memory, kOld);
    }
  }
  void expect_new(CaptureRig& rig, const char* when) const {
    rig.expect_behind(rig.first, rig.y, kNew,
                      fmt::format("a copy that nothing waits for, {}", when));
    rig.expect(rig.z, kNew, fmt::format("a copy beside another one, {}", when));
    rig.expect(w, kNew, fmt::format("a copy behind one that was not announced last, {}", when));
    rig.expect(v, kNew, fmt::format("a copy behind two others, {}", when));
  }

  Memory w;
  Memory v;
  CapturedGraph graph;
  Executable exec;

 private:
  CapturedGraph record(CaptureRig& rig) {
    Recorder recorder(rig.capturer, rig.first);
    const auto add = [&](const Memory& target, const Memory& source, const Items& items) {
      recorder.announce("copy");
      rig.capturer.depend(rig.first, items);
      rig.move(target, source, rig.first);
    };
    add(rig.y, rig.x, {});
    add(rig.z, rig.x, {});
    add(w, rig.z, {2});
    add(v, w, {2, 3});
    expect_status(rig.capturer, rig.first, LOCI_CAPTURE_ACTIVE, "behind depend");
    return recorder.end();
  }
};

void check_fork(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  ForkedGraph forked(rig);
  if (forked.graph.nodes() < 4) fail("stats counts {} nodes of 4 copies", forked.graph.nodes());
  for (int i = 1; i <= 3; ++i) {
    forked.reset(rig);
    rig.fill_late(kNew);
    forked.exec.launch(rig.first);
    forked.expect_new(rig, fmt::format("in launch {} of a graph that forks", i).c_str());
  }
}

// Where addresses are others, or the graph is recorded anew.
void check_fork_change(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  ForkedGraph forked(rig);
  ForkedGraph other(rig);
  if (forked.exec.update(other.graph).empty()) {
    rig.fill_late(kNew);
    forked.exec.launch(rig.first);
    other.expect_new(rig, "behind an update to a graph that forks the same way");
    return;
  }
  rig.fill_late(kNew);
  forked.exec.launch(rig.first);
  forked.expect_new(rig, "behind an update that was unsupported");
}

void check_fork_refused(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  rig.put(rig.x, kNew);
  Recorder recorder(capturer, rig.first);
  recorder.copy(rig.y, rig.x);
  recorder.announce("copy");
  for (const std::uint64_t item : {2, 3}) {
    expect_refusal("depend on an item that was not announced before", kAnyCode,
                   [&] { capturer.depend(rig.first, {item}); });
  }
  expect_status(capturer, rig.first, LOCI_CAPTURE_ACTIVE, "behind a depend that was refused");
  rig.move(rig.z, rig.y, rig.first);
  const CapturedGraph graph = recorder.end();
  Executable exec = graph.instantiate();
  exec.launch(rig.first);
  rig.expect_behind(rig.first, rig.z, kNew,
                    "a depend that is refused takes something of what the stream recorded");
}

void check_fork_without_begin(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  { const ForkedGraph skips_where_there_is_none(rig); }
  expect_refusal("depend in a stream that does not record", kAnyCode,
                 [&] { capturer.depend(rig.first, {}); });
  expect_status(capturer, rig.first, LOCI_CAPTURE_NONE, "behind a depend without begin");
}

constexpr std::uint64_t kBytesOfItem = 64;  // times its number, by which records are told apart

CapturedGraph record_unequal(CaptureRig& rig) {
  Recorder recorder(rig.capturer, rig.first);
  std::uint64_t item = 0;
  const auto add = [&](const Memory& target, std::uint64_t at, const Memory& source,
                       std::uint64_t from, const Items& items) {
    recorder.announce("copy");
    rig.capturer.depend(rig.first, items);
    rig.device.move(target.at() + at, source.at() + from, ++item * kBytesOfItem, rig.first.get());
  };
  add(rig.y, 0, rig.x, 0, {});
  add(rig.z, 0, rig.x, 0, {});
  add(rig.y, 1024, rig.y, 0, {1});
  add(rig.z, 1024, rig.z, 0, {2});
  add(rig.y, 2048, rig.z, 1024, {3, 4});
  return recorder.end();
}

// In whichever order branches run, a record is of the item that did it.
void check_fork_records(OpenCapturer& capturer) {
  static constexpr std::uint64_t kCorrelation = 6000;
  static constexpr std::uint64_t kItems = 5;
  CaptureRig rig(capturer);
  Executable exec = record_unequal(rig).instantiate();
  const loci_profile_source_api& source = capturer.backend().profile_source_api();
  RecordLog log;
  call_checked("start of the profile source", [&] {
    return source.start(capturer.backend().handle(), LOCI_PROFILE_DEVICE_WORK, &log.sink());
  });
  exec.launch(rig.first, kCorrelation, /*graph=*/8, /*replay=*/1);
  rig.device.wait(rig.first.get());
  call_checked("stop of the profile source",
               [&] { return source.stop(capturer.backend().handle()); });
  log.close();
  std::uint64_t found = 0;
  for (const loci_device_record& record : log.work()) {
    const std::uint64_t item = record.correlation - kCorrelation;
    if (item < 1 || item > kItems) continue;
    ++found;
    if (record.bytes == item * kBytesOfItem) continue;
    fail("the record of item {} of a graph that forks has {} bytes, and the item copies {}", item,
         record.bytes, item * kBytesOfItem);
  }
  if (found != kItems) fail("{} of {} items of a graph that forks have a record", found, kItems);
}

}  // namespace

std::vector<Check> capture_fork_checks(const CaptureBenchPtr& bench) {
  return {
      on_capturer("capture/fork", bench, check_fork),
      on_capturer("capture/fork_changed", bench, check_fork_change),
      on_capturer("capture/fork_records", bench, check_fork_records),
      on_capturer("capture/fork_refused", bench, check_fork_refused),
      on_capturer("capture/fork_without_begin", bench, check_fork_without_begin),
  };
}

}  // namespace loci::verify
