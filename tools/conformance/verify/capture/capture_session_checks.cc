#include "tools/conformance/verify/capture/capture_session_checks.h"

#include "tools/conformance/verify/capture/capture_rig.h"
#include "tools/conformance/verify/refusal.h"

namespace loci::verify {
namespace {

// A stream that was recorded serves plain work, and records again what comes then, and no more.
void expect_free(CaptureRig& rig, const char* when) {
  expect_status(rig.capturer, rig.first, LOCI_CAPTURE_NONE, when);
  rig.put(rig.x, kThird);
  rig.move(rig.z, rig.x, rig.first);
  rig.expect_behind(rig.first, rig.z, kThird,
                    fmt::format("plain work in the stream {} is not done", when));
  rig.put(rig.z, kOld);
  rig.put(rig.y, kOld);
  const CapturedGraph graph = record_copy(rig, rig.z, rig.x);
  Executable exec = graph.instantiate();
  exec.launch(rig.first);
  rig.expect_behind(rig.first, rig.z, kThird,
                    fmt::format("a graph recorded in the stream {} does not do its work", when));
  rig.expect(rig.y, kOld,
             fmt::format("a graph recorded in the stream {} does what was recorded before", when));
}

void check_nothing_runs(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  rig.put(rig.x, kNew);
  for (const SampleOp& op : sample_ops(rig)) {
    rig.put(rig.y, kOld);
    CapturedGraph graph = record(rig, op, rig.y, rig.x);
    rig.expect_behind(rig.first, rig.y, kOld,
                      fmt::format("a {} that a stream records is done before a launch", op.name));
    Executable exec = graph.instantiate();
    rig.expect_behind(rig.first, rig.y, kOld, "instantiate does what was recorded");
  }
}

void check_status(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  expect_status(capturer, rig.first, LOCI_CAPTURE_NONE, "of a stream that never recorded");
  {
    Recorder recorder(capturer, rig.first);
    expect_status(capturer, rig.first, LOCI_CAPTURE_ACTIVE, "behind begin");
    expect_status(capturer, rig.second, LOCI_CAPTURE_NONE, "of another stream");
    recorder.copy(rig.y, rig.x);
    expect_status(capturer, rig.first, LOCI_CAPTURE_ACTIVE, "behind recorded work");
    const CapturedGraph graph = recorder.end();
    expect_status(capturer, rig.first, LOCI_CAPTURE_NONE, "behind end");
  }
  Recorder recorder(capturer, rig.first);
  recorder.abort();
  expect_status(capturer, rig.first, LOCI_CAPTURE_NONE, "behind abort");
}

void check_begin_twice(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  rig.put(rig.x, kNew);
  Recorder recorder(capturer, rig.first);
  recorder.copy(rig.y, rig.x);
  expect_refusal("begin in a stream that records", kAnyCode, [&] { capturer.begin(rig.first); });
  expect_status(capturer, rig.first, LOCI_CAPTURE_ACTIVE,
                "behind a begin that was refused because the stream records");
  recorder.copy(rig.z, rig.y);
  const CapturedGraph graph = recorder.end();
  Executable exec = graph.instantiate();
  exec.launch(rig.first);
  rig.expect_behind(rig.first, rig.z, kNew,
                    "a begin that is refused takes something of what the stream recorded");
}

void check_end_without_begin(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  expect_refusal("end in a stream that does not record", kAnyCode,
                 [&] { const CapturedGraph graph = capturer.end(rig.first); });
  expect_free(rig, "behind an end without a begin");
  record_copy(rig, rig.y, rig.x).destroy();
  expect_refusal("a second end in a stream", kAnyCode,
                 [&] { const CapturedGraph graph = capturer.end(rig.first); });
  expect_free(rig, "behind a second end");
}

void check_abort_without_begin(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  capturer.abort(rig.first);
  expect_free(rig, "behind an abort without a begin");
}

void check_abort(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  rig.put(rig.x, kNew);
  Recorder recorder(capturer, rig.first);
  recorder.copy(rig.y, rig.x);
  recorder.abort();
  rig.expect_behind(rig.first, rig.y, kOld, "abort does what was recorded");
  expect_free(rig, "behind an abort");
}

void check_empty(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  Recorder recorder(capturer, rig.first);
  const CapturedGraph graph = recorder.end();
  if (graph.nodes() > 0) fail("a graph of nothing has {} nodes", graph.nodes());
  Executable exec = graph.instantiate();
  rig.fill_late(kNew);
  exec.launch(rig.first);
  rig.expect_behind(rig.first, rig.x, kNew, "work before the launch of an empty graph is lost");
  expect_free(rig, "behind an empty graph");
}

// Behind work that is queued, which is no part of it.
void check_begin_in_busy_stream(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  rig.fill_late(kNew);
  const CapturedGraph graph = record_copy(rig, rig.y, rig.x);
  rig.expect_behind(rig.first, rig.x, kNew, "work queued before begin is lost");
  rig.put(rig.x, kThird);
  Executable exec = graph.instantiate();
  exec.launch(rig.first);
  rig.expect_behind(rig.first, rig.y, kThird,
                    "a launch does more than was recorded: what was queued before begin");
}

struct Dump {
  std::string text;
  std::uint64_t lines = 0;
};

Dump dump_of(const CapturedGraph& graph) {
  Dump dump{graph.dump()};
  std::string line;
  for (const char c : dump.text + "\n") {
    if (c != '\n') {
      line += c;
    } else if (!line.empty()) {
      ++dump.lines;
      line.clear();
    }
  }
  return dump;
}

void check_description(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  std::vector<SampleOp> ops = sample_ops(rig);
  Recorder recorder(capturer, rig.first);
  for (SampleOp& op : ops) {
    op.name = "verify_" + op.name;
    recorder.add(op, rig.y, rig.x);
  }
  const CapturedGraph graph = recorder.end();
  const loci_graph_stats stats = graph.stats();
  if (graph.nodes() < ops.size()) {
    fail("stats counts {} nodes of {} ops", graph.nodes(), ops.size());
  }
  if (stats.bytes == 0) fail("stats says that a graph of {} nodes keeps no memory", graph.nodes());
  const Dump dump = dump_of(graph);
  if (dump.lines != graph.nodes()) {
    fail("dump has {} lines, and the graph {} nodes; a node has a line", dump.lines, graph.nodes());
  }
  if (ops.size() == 1) return;
  const std::string& name = ops.back().name;
  if (dump.text.find(name) == std::string::npos) {
    fail("dump does not call a kernel's node by its op, '{}': {}", name, dump.text);
  }
}

// A call that a recording stream has to refuse.
using Forbidden = void (*)(CaptureRig& rig);

void check_forbidden(OpenCapturer& capturer, const std::string& what, Forbidden call) {
  CaptureRig rig(capturer);
  Recorder recorder(capturer, rig.first);
  recorder.copy(rig.y, rig.x);
  expect_refusal(what + " while the stream records", kAnyCode, [&] { call(rig); });
  expect_status(capturer, rig.first, LOCI_CAPTURE_INVALID, fmt::format("behind {}", what).c_str());
  expect_refusal("end of a recording in which something was refused", kAnyCode,
                 [&] { const CapturedGraph graph = recorder.end(); });
  expect_free(rig, "behind a recording that failed");
  // One that is given up instead.
  Recorder again(capturer, rig.first);
  expect_refusal(what + " while the stream records", kAnyCode, [&] { call(rig); });
  again.abort();
  expect_free(rig, "behind an abort of what was invalid");
}

void synchronize_stream(CaptureRig& rig) {
  call_checked("stream_synchronize",
               [&] { return rig.device.api().stream_synchronize(rig.first.get()); });
}

void query_stream(CaptureRig& rig) { (void)rig.device.is_done(rig.first.get()); }

void record_event(CaptureRig& rig) {
  Event event(rig.device);
  event.record(rig.first);
}

void synchronize_device(CaptureRig& rig) {
  const loci_device_api& api = rig.device.api();
  if (api.synchronize == nullptr) skip("the device has no synchronize");
  call_checked("synchronize", [&] { return api.synchronize(rig.device.handle()); });
}

void free_memory(CaptureRig& rig) {
  void* memory = rig.device.allocate(kOrderedBytes);
  try {
    rig.device.free(memory, rig.first.get());
  } catch (const PluginError&) {
    rig.device.free(memory);
    throw;
  }
}

template <Forbidden call>
Check forbidden(const char* name, const CaptureBenchPtr& bench, std::string what) {
  return {name, [bench, what = std::move(what)]() -> Verdict {
            try {
              check_forbidden(bench->capturer(), what, call);
            } catch (const CheckSkipped&) {
              throw;
            } catch (...) {
              bench->reset();
              throw;
            }
            return {};
          }};
}

}  // namespace

std::vector<Check> capture_session_checks(const CaptureBenchPtr& bench) {
  return {
      on_capturer("capture/nothing_runs", bench, check_nothing_runs),
      on_capturer("capture/status", bench, check_status),
      on_capturer("capture/begin_twice", bench, check_begin_twice),
      on_capturer("capture/end_without_begin", bench, check_end_without_begin),
      on_capturer("capture/abort_without_begin", bench, check_abort_without_begin),
      on_capturer("capture/abort", bench, check_abort),
      on_capturer("capture/empty", bench, check_empty),
      on_capturer("capture/begin_in_busy_stream", bench, check_begin_in_busy_stream),
      on_capturer("capture/stats_and_dump", bench, check_description),
      forbidden<synchronize_stream>("capture/refuses_stream_synchronize", bench,
                                    "stream_synchronize"),
      forbidden<query_stream>("capture/refuses_stream_query", bench, "stream_query"),
      forbidden<record_event>("capture/refuses_event_record", bench, "event_record"),
      forbidden<synchronize_device>("capture/refuses_synchronize", bench,
                                    "synchronize by the thread that records"),
      forbidden<free_memory>("capture/refuses_free", bench, "mem_free in the order of the stream"),
  };
}

}  // namespace loci::verify
