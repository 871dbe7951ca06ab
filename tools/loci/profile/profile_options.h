// These options say what the runner records of a run, and who shows it.
#pragma once

#include <loci/profiler.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tools/loci/command.h"
#include "tools/loci/run/repeated_run.h"

namespace loci::runner {

// --profile, --tracer-option, --sorted-key, --profile-path and --reporter.
void declare_profile_options(po::options_description& options);

// Starts recording the timed runs if one of the options asks for it; null if none does. Throws
// Failure for what they do not mean, kUsage too for a report on standard output beside --json.
std::unique_ptr<Profiler> start_profiling(const po::variables_map& values, const RunCounts& counts);
// Ends it and makes the reports, after all else has been printed. Throws Failure(kFailed) that
// names what could not be made.
void finish_profiling(Profiler* profiler);

// Throws Failure(kFailed) with one line for the first, the others as details; nothing if there are
// none.
void check_reports(const std::vector<std::string>& failures);

}  // namespace loci::runner
