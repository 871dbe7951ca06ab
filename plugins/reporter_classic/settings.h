// The settings of what a classic report shows, and how.
#pragma once

#include <loci/plugin/reporter.hpp>

namespace loci::classic {

enum class Form {
  k2x,  // overhead by times, under a title of its own; memory is shown
  k18   // overhead by ratios, which async runs make negative
};

// Whose time a call's is: the host's, the device's, the sum of both.
enum class State { kCpu, kGpu, kAll };

// Operators; with their phases; each operator of the program.
enum class TracerOption { kDefault, kOpDetail, kAllOpDetail };

// The order of rows. kDefault: by the end of the first call.
enum class SortedKey { kDefault, kCalls, kTotal, kMax, kMin, kAve };

// The settings of one report.
struct Settings {
  Form form = Form::k2x;
  State state = State::kAll;
  TracerOption tracer_option = TracerOption::kDefault;
  SortedKey sorted_key = SortedKey::kDefault;
  bool memory = true;
  bool quality = true;
};

// Throws sdk::Error for an option or a value that there is not.
Settings read_settings(const sdk::ReporterOptions& options);

}  // namespace loci::classic
