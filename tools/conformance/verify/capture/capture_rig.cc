#include "tools/conformance/verify/capture/capture_rig.h"

#include <utility>

#include "tools/conformance/verify/plain_kernel.h"

namespace loci::verify {
namespace {

static_assert(kOrderedBytes == PlainKernel::kTensorBytes);

std::shared_ptr<PlainKernel> capturable_kernel(CaptureRig& rig) {
  try {
    return std::make_shared<PlainKernel>(rig.capturer.backend(), rig.device, rig.third,
                                         LOCI_KERNEL_CAPTURABLE);
  } catch (const CheckSkipped&) {
    return nullptr;  // copies are recorded in any case
  }
}

}  // namespace

std::vector<SampleOp> sample_ops(CaptureRig& rig) {
  std::vector<SampleOp> ops{
      {"copy", [&rig](const Stream& stream, const Memory& target, const Memory& source,
                      std::uint64_t) { rig.move(target, source, stream); }}};
  if (const auto kernel = capturable_kernel(rig)) {
    ops.push_back({kernel->op(), [kernel](const Stream& stream, const Memory& target,
                                          const Memory& source, std::uint64_t flags) {
                     kernel->launch(stream, source.at(), target.at(), flags);
                   }});
  }
  return ops;
}

Recorder::Recorder(OpenCapturer& capturer, const Stream& stream)
    : capturer_(capturer), stream_(stream) {
  capturer_.begin(stream_);
}

Recorder::~Recorder() {
  if (!is_open_) return;
  try {
    capturer_.abort(stream_);
  } catch (const std::exception&) {  // a check has failed, which tells of it
  }
}

void Recorder::copy(const Memory& target, const Memory& source) {
  capturer_.annotate(stream_, "copy", ++item_);
  capturer_.device().move(target.at(), source.at(), kOrderedBytes, stream_.get());
}

void Recorder::add(const SampleOp& op, const Memory& target, const Memory& source) {
  capturer_.annotate(stream_, op.name, ++item_);
  op.enqueue(stream_, target, source, LOCI_LAUNCH_CAPTURING);
}

void Recorder::announce(const char* op) { capturer_.annotate(stream_, op, ++item_); }

CapturedGraph Recorder::end() {
  is_open_ = false;
  return capturer_.end(stream_);
}

void Recorder::abort() {
  is_open_ = false;
  capturer_.abort(stream_);
}

CapturedGraph record(CaptureRig& rig, const SampleOp& op, const Memory& target,
                     const Memory& source) {
  Recorder recorder(rig.capturer, rig.first);
  recorder.add(op, target, source);
  return recorder.end();
}

CapturedGraph record_copy(CaptureRig& rig, const Memory& target, const Memory& source) {
  Recorder recorder(rig.capturer, rig.first);
  recorder.copy(target, source);
  return recorder.end();
}

const char* status_name(std::uint32_t status) {
  switch (status) {
    case LOCI_CAPTURE_NONE: return "none";
    case LOCI_CAPTURE_ACTIVE: return "active";
    default: return "invalid";
  }
}

void expect_status(OpenCapturer& capturer, const Stream& stream, std::uint32_t want,
                   const char* when) {
  const std::uint32_t got = capturer.status(stream);
  if (got == want) return;
  fail("the status {} is {}, and has to be {}", when, status_name(got), status_name(want));
}

}  // namespace loci::verify
