// The checks of captures work on this rig: streams and memory as those of order, and recordings.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/conformance/verify/capture/open_capturer.h"
#include "tools/conformance/verify/order/order_rig.h"

namespace loci::verify {

constexpr std::uint64_t kThird = 0x3333333333333333;

struct CaptureRig : Rig {
  // Skips the check where nothing stays queued.
  explicit CaptureRig(OpenCapturer& opened)
      : Rig(opened.device()), capturer(opened), z(opened.device(), kOrderedBytes) {
    put(z, kOld);
  }
  // Behind work that is long for a host that is busy, too: what comes too early is not to be
  // missed.
  void fill_late(std::uint64_t pattern) {
    for (int i = 0; i < 3; ++i) keep_busy();
    Rig::fill_late(pattern);
  }
  // Reads when the stream has done its work.
  void expect_behind(const Stream& stream, const Memory& memory, std::uint64_t pattern,
                     const std::string& what) {
    device.wait(stream.get());
    expect(memory, pattern, what);
  }

  OpenCapturer& capturer;
  Memory z;  // as x and y
};

// From kOrderedBytes of memory to as many, in plain work and in recordings; the source is argument
// 0 and the target 1.
struct SampleOp {
  std::string name;
  std::function<void(const Stream& stream, const Memory& target, const Memory& source,
                     std::uint64_t launch_flags)>
      enqueue;
};

// A copy, and a kernel if the backend has one that is LOCI_KERNEL_CAPTURABLE.
std::vector<SampleOp> sample_ops(CaptureRig& rig);

// A stream that records, which it does no more afterwards.
class Recorder {
 public:
  Recorder(OpenCapturer& capturer, const Stream& stream);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Annotated with items 1, 2, 3 and so on.
  void copy(const Memory& target, const Memory& source);
  void add(const SampleOp& op, const Memory& target, const Memory& source);
  // The item that comes next, of which the caller enqueues the work.
  void announce(const char* op);
  [[nodiscard]] std::uint32_t status() const { return capturer_.status(stream_); }
  CapturedGraph end();
  void abort();

 private:
  OpenCapturer& capturer_;
  const Stream& stream_;
  std::uint64_t item_ = 0;
  bool is_open_ = true;
};

// Records one op, which is item 1.
CapturedGraph record(CaptureRig& rig, const SampleOp& op, const Memory& target,
                     const Memory& source);
CapturedGraph record_copy(CaptureRig& rig, const Memory& target, const Memory& source);
// "active"
const char* status_name(std::uint32_t status);
void expect_status(OpenCapturer& capturer, const Stream& stream, std::uint32_t want,
                   const char* when);

}  // namespace loci::verify
