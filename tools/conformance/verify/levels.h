// The levels of `loci verify`, one file each. Each gives its checks; what they share, such as an
// open device, is made by the first that needs it and made anew behind one that failed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/conformance/verify/open_device.h"
#include "tools/conformance/verify/subject.h"
#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

// The library as a file and its tables: symbols, manifest, sizes, versions, required functions.
std::vector<Check> abi_level(const Target& target);
// Creating and destroying, opening and closing: again and again, with nothing left behind.
std::vector<Check> life_level(const Target& target);
// Memory of each kind, copies and fills, by content.
std::vector<Check> mem_level(const Target& target);
// Streams and events: what comes before what, by content behind long work.
std::vector<Check> order_level(const Target& target);
// Errors that the ABI promises, and memory that runs out.
std::vector<Check> fault_level(const Target& target);

// Each case of the conformance suite at a place, with launches watched (launch_traps.h).
struct OpsOptions {
  std::string place;                     // "sim:0"
  std::vector<std::string> directories;  // of further plugins that a case may need, cpu above all
};
std::vector<Check> ops_level(const Target& target, const OpsOptions& options);

// What the checks of a level share. Lives in the process that runs them.
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

}  // namespace loci::verify
