// A reporter of the plugin under test, at work.
#pragma once

#include <loci/abi/profile_reporter.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/conformance/verify/subject.h"

namespace loci::verify {

// The text that a report wrote.
struct Written {
  std::string text;
  std::uint64_t writes = 0;
};

class OpenReporter {
 public:
  using Options = std::vector<std::pair<std::string, std::string>>;

  // Throws PluginError if the options are refused.
  OpenReporter(Instance& instance, const loci_reporter_def& def, const Options& options = {});
  ~OpenReporter();
  OpenReporter(const OpenReporter&) = delete;
  OpenReporter& operator=(const OpenReporter&) = delete;

  // Throws PluginError if it says that it failed; `failing_write` counts from 1.
  Written report(const loci_profile& profile, std::uint64_t failing_write = 0);
  void range_begin(const loci_profile_label& label);
  void range_end();

 private:
  Instance& instance_;
  const loci_reporter_def& def_;
  loci_reporter* handle_ = nullptr;
};

// In this host's size. Fails the check for a list that is not well-formed.
std::vector<loci_reporter_def> reporters_of(Instance& instance);

}  // namespace loci::verify
