#include "tests/gpu_suite/options.h"

#include <re2/re2.h>

#include <charconv>
#include <stdexcept>

namespace loci::gpu_suite {

const char* const kUsageText =
    "usage: gpu-suite [--emulated] [--quick] [--only REGEX] [--jobs N] [--output DIR] [--root "
    "DIR]\n"
    "                 [--list]\n"
    "\n"
    "Runs every CUDA test and benchmark of Loci on cuda:0, each with a time limit; a failure does\n"
    "not stop the others. Writes DIR/report.json, DIR/report.txt and what each program printed.\n"
    "\n"
    "  --emulated     on the double of the CUDA driver, on the processor: no figure is a device's\n"
    "  --quick        a part of each, in minutes\n"
    "  --only REGEX   only steps whose name matches somewhere\n"
    "  --jobs N       so many steps at a time (1), benchmarks alone, after all others\n"
    "  --output DIR   gpu-suite-report\n"
    "  --root DIR     where bin and lib are, if not around this program\n"
    "  --list         print the names of the steps and run nothing\n"
    "\n"
    "Exit code: 0 all passed, 1 a step failed or missed a budget, 2 usage, 4 no CUDA device.\n";

namespace {

constexpr int kMostJobs = 256;

void check_regex(const std::string& only) {
  const re2::RE2 expression(only, re2::RE2::Quiet);
  if (!expression.ok()) throw std::invalid_argument("--only " + only + ": " + expression.error());
}

int number_of_jobs(const std::string& text) {
  int jobs = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, jobs);
  if (read.ec != std::errc() || read.ptr != end || jobs < 1 || jobs > kMostJobs) {
    throw std::invalid_argument("--jobs " + text + " is no number of 1 to 256");
  }
  return jobs;
}

}  // namespace

bool is_wanted(const Options& options, const std::string& step) {
  return re2::RE2::PartialMatch(step, options.only);
}

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&] {
      if (++i >= argc || *argv[i] == '\0') throw std::invalid_argument(name + " wants a value");
      return std::string(argv[i]);
    };
    if (name == "--emulated") {
      options.emulated = true;
    } else if (name == "--quick") {
      options.quick = true;
    } else if (name == "--list") {
      options.list = true;
    } else if (name == "--help" || name == "-h") {
      options.help = true;
    } else if (name == "--output") {
      options.output = value();
    } else if (name == "--only") {
      options.only = value();
    } else if (name == "--jobs") {
      options.jobs = number_of_jobs(value());
    } else if (name == "--root") {
      options.root = value();
    } else {
      throw std::invalid_argument("no option " + name);
    }
  }
  check_regex(options.only);
  return options;
}

}  // namespace loci::gpu_suite
