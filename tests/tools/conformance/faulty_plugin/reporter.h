// A reporter of names and live ranges, right but for its fault.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/plugin/reporter.hpp>

namespace loci::faulty {

class Reporter {
 public:
  Reporter(const sdk::Host& host, const sdk::ReporterOptions& options);

  void report(const loci_profile& profile, sdk::ReportOutput& output);
  void range_begin(const loci_profile_label& label);
  void range_end();

 private:
  bool shows_quality_;
  std::atomic<std::uint64_t> ranges_{0};
};

}  // namespace loci::faulty
