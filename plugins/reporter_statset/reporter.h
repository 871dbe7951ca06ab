// The lines of printAllStatus.
#pragma once

#include <loci/abi/profile.h>

#include <loci/plugin/host.hpp>
#include <loci/plugin/reporter.hpp>

namespace loci::statset {

// One line for each range of the application and each type of operator: host time by name over all
// paths and threads, in milliseconds, whole microseconds each. Names come by total, most first. A
// call within one of its own name counts twice, as timers do.
class StatsetReporter {
 public:
  // Throws sdk::Error for options other than "quality" and "threads".
  StatsetReporter(const sdk::Host& host, const sdk::ReporterOptions& options);
  void report(const loci_profile& profile, sdk::ReportOutput& output) const;

 private:
  bool quality_;
  bool by_thread_;
};

}  // namespace loci::statset
