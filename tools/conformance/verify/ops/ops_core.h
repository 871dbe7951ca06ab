// The core with the plugin under test and its launches watched, for the checks of the level ops.
#pragma once

#include <functional>
#include <loci/place.hpp>
#include <string>
#include <vector>

#include "tools/conformance/case.h"
#include "tools/conformance/verify/brought.h"
#include "tools/conformance/verify/subject.h"
#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

struct OpsOptions {
  std::string place;                     // "sim:0"
  std::vector<std::string> directories;  // of further plugins that a case may need, cpu above all
};

// The core of a process, of which there is one, made by the first check.
class OpsCore {
 public:
  OpsCore(Target target, OpsOptions options, const Brought& brought)
      : target_(std::move(target)),
        options_(std::move(options)),
        has_device_(!brought.asked || brought.has_device_table) {}

  // Skips the check where there is no such device; fails it where the core cannot use the plugin.
  const Place& place();
  // Runs the case there. What the launches did wrong is a failure too. A case that none of the
  // plugin's kernels ran is absent where it brings no device: then others ran it.
  Verdict run(const conformance::Case& subject);
  Verdict run_at(const conformance::Case& subject, const Place& place);
  // Runs that, and says what launches did wrong meanwhile.
  Verdict watch(const std::function<Verdict()>& run);
  // Throws if nothing can be copied to the place and back any more.
  void probe();

 private:
  [[nodiscard]] Verdict run_unwatched(const conformance::Case& subject, const Place& place) const;
  void configure() const;
  void start();
  [[noreturn]] void explain(const std::exception& error) const;

  Target target_;
  OpsOptions options_;
  bool has_device_;
  Place place_{"cpu"};
  bool started_ = false;
  bool usable_ = false;
};

}  // namespace loci::verify
