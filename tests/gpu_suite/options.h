// The options of gpu-suite.
#pragma once

#include <string>

namespace loci::gpu_suite {

struct Options {
  bool emulated = false;
  bool quick = false;
  bool list = false;
  bool help = false;
  int jobs = 1;
  std::string output = "gpu-suite-report";
  std::string only;  // a regular expression of RE2 for names of steps
  std::string root;  // of another installation; empty: this program's
};

extern const char* const kUsageText;

// Returns true if --only wants the step of that name.
bool is_wanted(const Options& options, const std::string& step);

// Throws std::invalid_argument that names the wrong argument.
Options parse_options(int argc, char** argv);

}  // namespace loci::gpu_suite
