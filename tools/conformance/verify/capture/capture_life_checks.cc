#include "tools/conformance/verify/capture/capture_life_checks.h"

#include <exception>
#include <functional>
#include <thread>

#include "tools/conformance/verify/capture/capture_rig.h"
#include "tools/conformance/verify/heap_growth.h"
#include "tools/conformance/verify/process_state.h"
#include "tools/conformance/verify/refusal.h"

namespace loci::verify {
namespace {

// Runs it in another thread, and throws here what it throws there.
class OtherThread {
 public:
  explicit OtherThread(const std::function<void()>& body)
      : thread_([this, body] {
          try {
            body();
          } catch (...) {
            error_ = std::current_exception();
          }
        }) {}
  ~OtherThread() {
    if (thread_.joinable()) thread_.join();
  }
  OtherThread(const OtherThread&) = delete;
  OtherThread& operator=(const OtherThread&) = delete;
  void join() {
    thread_.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
  std::thread thread_;
};

// Whatever a device does, in streams that do not record. Memory is of kOrderedBytes.
void use_streams(OpenDevice& device, const Stream& one, Stream& two, const Memory& target,
                 const Memory& source) {
  Event event(device);
  void* streamed = device.allocate(kOrderedBytes, one.get());
  device.put(source.at(), filled(kThird), one.get());
  device.move(streamed, source.at(), kOrderedBytes, one.get());
  device.move(target.at(), streamed, kOrderedBytes, one.get());
  device.free(streamed, one.get());
  event.record(one);
  two.wait(event.get());
  event.synchronize();
  while (!device.is_done(two.get())) {
  }
  device.wait(one.get());
  expect_bytes(device.get(target.at(), kOrderedBytes, one.get()), filled(kThird),
               "work in a stream while another one records");
}

// A graph of `target` from `source`, recorded while the streams that do not record are used.
void check_while_recording(CaptureRig& rig, bool in_other_thread) {
  rig.put(rig.x, kNew);
  const std::uint64_t nodes = record_copy(rig, rig.y, rig.x).nodes();
  const Memory source(rig.device, kOrderedBytes);
  Recorder recorder(rig.capturer, rig.first);
  const auto use = [&] { use_streams(rig.device, rig.second, rig.third, rig.z, source); };
  if (in_other_thread) {
    OtherThread(use).join();
  } else {
    use();
  }
  recorder.copy(rig.y, rig.x);
  expect_status(rig.capturer, rig.first, LOCI_CAPTURE_ACTIVE,
                "of a stream that records while others are used");
  const CapturedGraph graph = recorder.end();
  if (graph.nodes() != nodes) {
    fail("a graph has {} nodes instead of {}: it has work of streams that did not record",
         graph.nodes(), nodes);
  }
  Executable exec = graph.instantiate();
  exec.launch(rig.first);
  rig.expect_behind(rig.first, rig.y, kNew, "a graph recorded while other streams were used");
}

void check_other_streams(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  check_while_recording(rig, /*in_other_thread=*/false);
  check_while_recording(rig, /*in_other_thread=*/true);
}

// Again and again: recorded, launched and looked at, by a thread of its own.
void capture_rounds(OpenCapturer& capturer, std::uint64_t pattern) {
  static constexpr int kRounds = 30;
  OpenDevice& device = capturer.device();
  const Stream stream(device);
  const Memory x(device, kOrderedBytes);
  const Memory y(device, kOrderedBytes);
  device.put(x.at(), filled(pattern), stream.get());
  for (int i = 0; i < kRounds; ++i) {
    device.put(y.at(), filled(kOld), stream.get());
    Recorder recorder(capturer, stream);
    recorder.copy(y, x);
    const CapturedGraph graph = recorder.end();
    Executable exec = graph.instantiate();
    exec.launch(stream);
    expect_bytes(device.get(y.at(), kOrderedBytes, stream.get()), filled(pattern),
                 fmt::format("round {} of two threads that record in two streams", i + 1));
  }
}

void check_two_threads(OpenCapturer& capturer) {
  capturer.device().require_streams();
  OtherThread other([&] { capture_rounds(capturer, kNew); });
  capture_rounds(capturer, kThird);
  other.join();
}

// Two streams that record by turns.
void check_two_recordings(OpenCapturer& capturer) {
  CaptureRig rig(capturer);
  rig.put(rig.x, kNew);
  Recorder one(capturer, rig.first);
  Recorder two(capturer, rig.second);
  one.copy(rig.y, rig.x);
  two.copy(rig.z, rig.x);
  const CapturedGraph first = one.end();
  expect_status(capturer, rig.second, LOCI_CAPTURE_ACTIVE, "when another stream's recording ends");
  const CapturedGraph second = two.end();
  Executable exec = first.instantiate();
  exec.launch(rig.first);
  rig.expect_behind(rig.first, rig.y, kNew, "one of two graphs recorded together");
  rig.expect(rig.z, kOld, "one of two graphs recorded together does what the other one recorded");
  Executable other = second.instantiate();
  other.launch(rig.first);
  rig.expect_behind(rig.first, rig.z, kNew, "the other one of two graphs recorded together");
}

// A device of which the capturer knows nothing: its handles are others.
loci_error* no_handle(void*, loci_stream*, loci_str, void** out_handle) {
  *out_handle = nullptr;
  return nullptr;
}

void check_strange_device(const CapturePair& pair) {
  Instance capturer(pair.capturer);
  const loci_capture_api& api = capturer.capture_api();
  const loci_native_handles handles{sizeof handles, 0, nullptr, no_handle};
  loci_capturer* opened = nullptr;
  expect_refusal("a device without the native handles that the capturer needs",
                 LOCI_CODE_UNSUPPORTED, [&] {
                   call_checked("open of the capturer",
                                [&] { return api.open(capturer.handle(), 0, &handles, &opened); });
                   api.close(opened);
                 });
}

void check_open_twice(const CapturePair& pair) {
  OpenCapturer one(pair);
  one.close();
  OpenCapturer two(pair);
  CaptureRig rig(two);
  rig.put(rig.x, kNew);
  const CapturedGraph graph = record_copy(rig, rig.y, rig.x);
  Executable exec = graph.instantiate();
  exec.launch(rig.first);
  rig.expect_behind(rig.first, rig.y, kNew, "a graph of a device that was opened again");
}

void live(CaptureRig& rig) {
  const CapturedGraph graph = record_copy(rig, rig.y, rig.x);
  Executable exec = graph.instantiate();
  exec.launch(rig.first);
  exec.patch(1, 0, rig.z.at());
  exec.update(record_copy(rig, rig.z, rig.x));
  (void)graph.dump();
  rig.device.wait(rig.first.get());
}

void give_up(CaptureRig& rig) {
  Recorder recorder(rig.capturer, rig.first);
  recorder.copy(rig.y, rig.x);
  recorder.abort();
}

void fail_recording(CaptureRig& rig) {
  Recorder recorder(rig.capturer, rig.first);
  recorder.copy(rig.y, rig.x);
  expect_refusal("stream_query while the stream records", kAnyCode,
                 [&] { (void)rig.device.is_done(rig.first.get()); });
  expect_refusal("end of a recording in which something was refused", kAnyCode,
                 [&] { const CapturedGraph graph = recorder.end(); });
}

void expect_no_growth(CaptureRig& rig, void (*life)(CaptureRig&), const char* what) {
  const std::size_t bytes = heap_growth([&] { life(rig); });
  if (bytes > 0) {
    fail("each {} leaves memory of the C heap behind, {} bytes in {}", what, bytes, kHeapRounds);
  }
}

void check_heap(OpenCapturer& capturer) {
  if (heap_bytes() == 0) skip("this process's allocator does not count");
  CaptureRig rig(capturer);
  expect_no_growth(rig, live, "graph that was launched and destroyed");
  expect_no_growth(rig, give_up, "recording that was given up");
  expect_no_growth(rig, fail_recording, "recording that failed");
}

// Drivers keep some for graphs, once.
void check_device_memory(OpenCapturer& capturer) {
  static constexpr int kGraphs = 100;
  static constexpr std::uint64_t kEach = 1024;
  CaptureRig rig(capturer);
  for (int i = 0; i < kGraphs; ++i) live(rig);
  const std::uint64_t before = rig.device.free_memory();
  for (int i = 0; i < kGraphs; ++i) live(rig);
  const std::uint64_t after = rig.device.free_memory();
  if (after + kGraphs * kEach < before) {
    fail("{} graphs were launched and destroyed, and mem_info has {} bytes less", kGraphs,
         before - after);
  }
}

void check_left_behind(const CapturePair& pair) {
  const auto lives = [&pair] {
    OpenCapturer capturer(pair);
    {
      CaptureRig rig(capturer);
      live(rig);
      give_up(rig);
      fail_recording(rig);
    }
    capturer.close();
    capturer.capturer().destroy();
    expect_nothing_held(capturer.capturer(), "after captures and destroy");
  };
  lives();  // what drivers keep is there now
  const ProcessState before = ProcessState::now();
  for (int i = 0; i < 3; ++i) lives();
  const std::string left = ProcessState::wait_for(before);
  if (!left.empty()) fail("after captures there are {} more", left);
}

}  // namespace

std::vector<Check> capture_life_checks(const CaptureBenchPtr& bench) {
  return {
      on_capture_pair("capture/strange_device", bench, check_strange_device),
      on_capture_pair("capture/open_twice", bench, check_open_twice),
      on_capturer("capture/other_streams", bench, check_other_streams),
      on_capturer("capture/two_recordings", bench, check_two_recordings),
      on_capturer("capture/two_threads", bench, check_two_threads),
      on_capturer("capture/heap", bench, check_heap),
      on_capturer("capture/device_memory", bench, check_device_memory),
      on_capture_pair("capture/left_behind", bench, check_left_behind),
  };
}

}  // namespace loci::verify
