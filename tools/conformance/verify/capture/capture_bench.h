// The checks of the level capture share a bench: the pair of plugins, and a capturer of the open
// device, made by the first check that needs it and made anew behind one that failed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/conformance/verify/capture/open_capturer.h"
#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

// Lives in the process that runs the checks.
class CaptureBench {
 public:
  CaptureBench(Target target, std::vector<std::string> directories)
      : target_(std::move(target)), directories_(std::move(directories)) {}

  const CapturePair& pair();
  OpenCapturer& capturer();
  void reset() { capturer_.reset(); }

 private:
  Target target_;
  std::vector<std::string> directories_;
  std::optional<CapturePair> pair_;
  std::unique_ptr<OpenCapturer> capturer_;
};

using CaptureBenchPtr = std::shared_ptr<CaptureBench>;

// A check that a function of the capturer makes, which throws where something is wrong.
using CaptureCheck = void (*)(OpenCapturer& capturer);
Check on_capturer(std::string name, const CaptureBenchPtr& bench, CaptureCheck check);
// One that makes instances of its own.
using CapturePairCheck = void (*)(const CapturePair& pair);
Check on_capture_pair(std::string name, const CaptureBenchPtr& bench, CapturePairCheck check);

}  // namespace loci::verify
