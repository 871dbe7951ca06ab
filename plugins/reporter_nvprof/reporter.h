// The tables of nvprof.
#pragma once

#include <loci/abi/profile.h>

#include <loci/plugin/host.hpp>
#include <loci/plugin/reporter.hpp>

namespace loci::nvprof {

// "Profiling result:" sums device work by name, "API calls:" the calls of devices' interfaces that
// their sources report. Rows come by time, most first; times are in the unit that suits them.
class NvprofReporter {
 public:
  // Throws sdk::Error for options other than "quality".
  NvprofReporter(const sdk::Host& host, const sdk::ReporterOptions& options);
  void report(const loci_profile& profile, sdk::ReportOutput& output) const;

 private:
  bool quality_;
};

}  // namespace loci::nvprof
