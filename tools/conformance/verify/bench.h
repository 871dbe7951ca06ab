// The checks of a level share a bench: an instance of the plugin and an open device, made by the
// first check that needs them and made anew behind one that failed.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/conformance/verify/open_device.h"
#include "tools/conformance/verify/subject.h"
#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

// Lives in the process that runs the checks.
class Bench {
 public:
  explicit Bench(Target target) : target_(std::move(target)) {}

  Instance& instance();
  OpenDevice& device();
  void reset();

 private:
  Target target_;
  std::unique_ptr<Instance> instance_;
  std::unique_ptr<OpenDevice> device_;
};

// A check that a function of the open device makes, which throws where something is wrong.
using DeviceCheck = void (*)(OpenDevice& device);
Check on_bench(std::string name, const std::shared_ptr<Bench>& bench, DeviceCheck check);
// One that makes an instance of its own.
using TargetCheck = void (*)(const Target& target);
Check on_target(std::string name, const Target& target, TargetCheck check);
// These on each device of the plugin but the one under test, whose number failures begin with.
// Skipped where there is no other.
Check on_other_devices(std::string name, const Target& target, std::vector<DeviceCheck> checks);

}  // namespace loci::verify
