// The options of the classic profiler's report that ProfilerOptions gives in that profiler's words.
#pragma once

#include <loci/profiler.hpp>

#include "framework/reporting/report_request.h"

namespace loci::reporting {

// The report that there is where nobody names one.
inline constexpr const char* kClassicReporter = "classic";

// Adds state, tracer option and sorted key to a request for that report, unless the request says
// them itself. Another report knows none of them.
void add_classic_options(const ProfilerOptions::Values& values, ReportRequest& request);

}  // namespace loci::reporting
