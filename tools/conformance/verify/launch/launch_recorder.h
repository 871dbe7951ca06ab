// Tries what LOCI_KERNEL_CAPTURABLE promises with copies of a launch: that a stream may record it,
// and that each replay computes what a plain launch does then.
#pragma once

#include <loci/abi/capture.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tools/conformance/verify/launch/rehearsal.h"
#include "tools/conformance/verify/subject.h"

namespace loci::verify {

// Thread-safe. `capturer` is its plugin.
class LaunchRecorder {
 public:
  // Records launches on devices that are opened with that index.
  LaunchRecorder(Target capturer, std::uint32_t index);
  ~LaunchRecorder();
  LaunchRecorder(const LaunchRecorder&) = delete;
  LaunchRecorder& operator=(const LaunchRecorder&) = delete;

  // Returns a sentence that says what is wrong; empty if nothing is, or it cannot be tried: also of
  // a kernel that is not LOCI_KERNEL_CAPTURABLE. Throws what the capturer fails with.
  std::string rehearse(const Rehearsed& rehearsed, const LaunchPlace& place,
                       const loci_launch& launch);
  // How many were rehearsed since the last call.
  int take_count() { return count_.exchange(0); }

 private:
  class Rehearsal;
  struct Opened;
  Opened& open(const LaunchPlace& place);

  Target target_;
  std::uint32_t index_;
  std::mutex mutex_;
  std::unique_ptr<Instance> plugin_;
  std::map<loci_device*, std::unique_ptr<Opened>> opened_;
  std::atomic<int> count_{0};
};

// From then on launches are rehearsed by it instead of rehearse(). Once in a process, before
// watch_launches().
void use_launch_recorder(const Target& capturer, std::uint32_t index);
// NULL without.
LaunchRecorder* launch_recorder();
// The recorder rehearses the launch; without one, rehearse() does.
std::string rehearse_as_set(const Rehearsed& rehearsed, const LaunchPlace& place,
                            const loci_launch& launch);

}  // namespace loci::verify
