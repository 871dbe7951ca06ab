// The lines in which timers are printed.
#pragma once

#include <map>
#include <string>

#include "framework/profiler/stat_set.h"

namespace loci::profiler {

// "Stat=load   total=0.25   avg=0.125   max=0.2   min=0.05   count=2", columns padded, without the
// end of the line. In milliseconds from whole microseconds, as the timers of the first generation
// had them: up to six digits, the mean rounded down.
std::string stat_line(const std::string& name, const StatTotals& totals);

// With what stands above and below; by name.
std::string stat_lines(const std::map<std::string, StatTotals>& totals);

}  // namespace loci::profiler
