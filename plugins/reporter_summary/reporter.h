// A profile on one screen of a terminal.
#pragma once

#include <loci/abi/profile.h>

#include <loci/plugin/host.hpp>
#include <loci/plugin/reporter.hpp>

namespace loci::summary {

// At most 40 lines of 100 columns: how the wall time of the main thread divides, the operators that
// took most, copies by reason, devices with their idle time by cause and their memory, and a line
// on quality. Coloured on a terminal.
class SummaryReporter {
 public:
  // Throws sdk::Error for options other than "quality" and "colour".
  SummaryReporter(const sdk::Host& host, const sdk::ReporterOptions& options);
  void report(const loci_profile& profile, sdk::ReportOutput& output) const;

 private:
  bool quality_;
  bool may_colour_;
};

}  // namespace loci::summary
