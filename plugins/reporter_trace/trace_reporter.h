// Reporter "trace": a JSON object with "traceEvents", as Perfetto and chrome://tracing read it.
//
//   steps=A-B    only what touches these steps
//   max_mb=N     at most so many 10^6 bytes before compression; steps from the end are left out (or
//                the end of the first one), which the host's label and otherData say
//   gzip=on      compressed, which both viewers read too
//   quality=off  without the data quality in otherData
#pragma once

#include <loci/plugin/reporter.hpp>

#include "plugins/reporter_trace/trace_settings.h"

namespace loci::report {

class TraceReporter {
 public:
  TraceReporter(const sdk::Host& host, const sdk::ReporterOptions& options);
  void report(const loci_profile& profile, sdk::ReportOutput& output) const;

 private:
  TraceSettings settings_;
};

}  // namespace loci::report
