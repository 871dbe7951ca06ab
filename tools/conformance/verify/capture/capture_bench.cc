#include "tools/conformance/verify/capture/capture_bench.h"

namespace loci::verify {

const CapturePair& CaptureBench::pair() {
  if (!pair_) pair_ = find_capture_pair(target_, directories_);
  return *pair_;
}

OpenCapturer& CaptureBench::capturer() {
  if (capturer_ == nullptr) capturer_ = std::make_unique<OpenCapturer>(pair());
  return *capturer_;
}

Check on_capturer(std::string name, const CaptureBenchPtr& bench, CaptureCheck check) {
  return {std::move(name), [bench, check]() -> Verdict {
            try {
              check(bench->capturer());
            } catch (const CheckSkipped&) {
              throw;
            } catch (...) {
              bench->reset();
              throw;
            }
            return {};
          }};
}

Check on_capture_pair(std::string name, const CaptureBenchPtr& bench, CapturePairCheck check) {
  return {std::move(name), [bench, check]() -> Verdict {
            check(bench->pair());
            return {};
          }};
}

}  // namespace loci::verify
