#include "tools/conformance/verify/capture/capture_replay_checks.h"

#include <optional>

#include "tools/conformance/verify/capture/capture_rig.h"
#include "tools/conformance/verify/profile/record_log.h"

namespace loci::verify {
namespace {

constexpr int kReplays = 4;

// Other bytes for each replay, in numbers that are finite.
std::uint64_t pattern_of(int replay) {
  return (0x30 + static_cast<std::uint64_t>(replay)) * 0x0101010101010101;
}

// Each op in turn, from x over y to z.
void check_equals_plain(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  const std::vector<SampleOp> ops = sample_ops(rig);
  Recorder recorder(capturer, rig.first);
  recorder.add(ops.back(), rig.y, rig.x);
  recorder.add(ops.front(), rig.z, rig.y);
  recorder.add(ops.back(), rig.y, rig.z);
  const CapturedGraph graph = recorder.end();
  Executable exec = graph.instantiate();
  const Memory plain(rig.device, kOrderedBytes);
  for (int i = 0; i < kReplays; ++i) {
    rig.put(rig.x, pattern_of(i));
    ops.back().enqueue(rig.third, plain, rig.x, 0);
    ops.back().enqueue(rig.third, rig.z, plain, 0);
    const Bytes want = rig.device.get(rig.z.at(), kOrderedBytes, rig.third.get());
    exec.launch(rig.first);
    rig.device.wait(rig.first.get());
    expect_bytes(rig.device.get(rig.y.at(), kOrderedBytes, rig.third.get()), want,
                 fmt::format("launch {} of a graph, against plain work", i + 1));
  }
}

void check_order(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  const CapturedGraph graph = record_copy(rig, rig.y, rig.x);
  Executable exec = graph.instantiate();
  rig.fill_late(kNew);
  exec.launch(rig.first);
  rig.move(rig.z, rig.y, rig.first);
  rig.fill(rig.x, kThird, rig.first);
  rig.device.wait(rig.first.get());
  rig.expect(rig.y, kNew, "a launch does not wait for the work of its stream");
  rig.expect(rig.z, kNew, "work of a stream does not wait for the launch before it");
  rig.expect(rig.x, kThird, "work behind a launch is lost");
}

void check_other_stream(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  const CapturedGraph graph = record_copy(rig, rig.y, rig.x);
  Executable exec = graph.instantiate();
  Event before(rig.device);
  Event behind(rig.device);
  rig.fill_late(kNew);
  before.record(rig.first);
  rig.second.wait(before.get());
  exec.launch(rig.second);
  behind.record(rig.second);
  behind.synchronize();
  rig.expect(rig.y, kNew,
             "a launch in another stream than the one that recorded does not come behind the "
             "event that its stream waits for, and before the one recorded behind it");
}

// In two streams that nothing orders but the executable.
void check_in_turn(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  const CapturedGraph graph = record_copy(rig, rig.y, rig.x);
  Executable exec = graph.instantiate();
  for (int i = 0; i < kReplays; ++i) {
    rig.device.wait(rig.first.get());
    rig.put(rig.y, kOld);
    rig.fill_late(pattern_of(i));
    exec.launch(rig.first);
    exec.launch(rig.second);
    rig.expect_behind(
        rig.second, rig.y, pattern_of(i),
        "two launches of an executable in two streams do not run one after the other");
  }
}

void check_two_executables(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  const CapturedGraph graph = record_copy(rig, rig.y, rig.x);
  Executable one = graph.instantiate();
  Executable two = graph.instantiate();
  rig.put(rig.x, kNew);
  one.launch(rig.first);
  rig.expect_behind(rig.first, rig.y, kNew, "the first of two executables of a graph");
  one.destroy();
  rig.put(rig.x, kThird);
  two.launch(rig.first);
  rig.expect_behind(rig.first, rig.y, kThird, "the second of two executables of a graph");
}

void check_graph_goes_first(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  CapturedGraph graph = record_copy(rig, rig.y, rig.x);
  Executable exec = graph.instantiate();
  graph.destroy();
  rig.put(rig.x, kNew);
  exec.launch(rig.first);
  rig.expect_behind(rig.first, rig.y, kNew, "a launch whose graph was destroyed");
}

void check_destroyed_while_queued(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  CapturedGraph graph = record_copy(rig, rig.y, rig.x);
  Executable exec = graph.instantiate();
  rig.fill_late(kNew);
  exec.launch(rig.first);
  exec.destroy();
  graph.destroy();
  rig.expect_behind(rig.first, rig.y, kNew,
                    "a launch whose executable was destroyed while it was queued");
}

void check_many(OpenCapturer& capturer) {
  static constexpr std::size_t kGraphs = 64;
  CaptureRig rig(capturer);
  // There are as many targets at a time as the device may have allocations for.
  const std::size_t targets_count = rig.device.as_many(kGraphs, kRigAllocations);
  std::vector<Executable> executables;
  std::vector<Memory> targets;
  for (std::size_t i = 0; i < targets_count; ++i) targets.emplace_back(rig.device, kOrderedBytes);
  for (std::size_t i = 0; i < kGraphs; ++i) {
    executables.push_back(record_copy(rig, targets[i % targets_count], rig.x).instantiate());
  }
  rig.put(rig.x, kNew);
  for (std::size_t begin = 0; begin < kGraphs; begin += targets_count) {
    const std::size_t end = std::min(begin + targets_count, kGraphs);
    for (const Memory& target : targets) rig.put(target, kOld);
    for (std::size_t i = begin; i < end; ++i) executables[i].launch(rig.first);
    rig.device.wait(rig.first.get());
    for (std::size_t i = begin; i < end; ++i) {
      rig.expect(targets[i % targets_count], kNew,
                 fmt::format("one of {} graphs that are there together", kGraphs));
    }
  }
}

// A recording of copies only: that a backend has them as records is the matter of the level
// profile.
void check_records(OpenCapturer& capturer) {
  static constexpr std::uint64_t kCorrelation = 5000;
  static constexpr std::uint32_t kGraph = 7;
  CaptureRig rig(capturer);
  const loci_profile_source_api& source = capturer.backend().profile_source_api();
  Recorder recorder(capturer, rig.first);
  recorder.copy(rig.y, rig.x);
  recorder.copy(rig.z, rig.y);
  const CapturedGraph graph = recorder.end();
  Executable exec = graph.instantiate();
  RecordLog log;
  call_checked("start of the profile source", [&] {
    return source.start(capturer.backend().handle(), LOCI_PROFILE_DEVICE_WORK, &log.sink());
  });
  exec.launch(rig.first, kCorrelation, kGraph, 3);
  rig.device.wait(rig.first.get());
  call_checked("stop of the profile source",
               [&] { return source.stop(capturer.backend().handle()); });
  log.close();
  for (const std::uint64_t item : {1, 2}) {
    std::optional<loci_device_record> found;
    for (const loci_device_record& record : log.work()) {
      if (record.correlation == kCorrelation + item) found = record;
    }
    if (!found) {
      fail("item {} of a launch with correlation {} has no record under {}", item, kCorrelation,
           kCorrelation + item);
    }
    if (found->graph != kGraph || found->replay != 3) {
      fail("the record of replay 3 of graph {} says replay {} of graph {}", kGraph, found->replay,
           found->graph);
    }
  }
}

}  // namespace

std::vector<Check> capture_replay_checks(const CaptureBenchPtr& bench) {
  return {
      on_capturer("capture/equals_plain", bench, check_equals_plain),
      on_capturer("capture/order", bench, check_order),
      on_capturer("capture/other_stream", bench, check_other_stream),
      on_capturer("capture/launches_in_turn", bench, check_in_turn),
      on_capturer("capture/two_executables", bench, check_two_executables),
      on_capturer("capture/graph_goes_first", bench, check_graph_goes_first),
      on_capturer("capture/destroyed_while_queued", bench, check_destroyed_while_queued),
      on_capturer("capture/many_graphs", bench, check_many),
      on_capturer("capture/records", bench, check_records),
  };
}

}  // namespace loci::verify
