// What ProfilerOptions says in the words of the classic profiler, as options of its report.
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
