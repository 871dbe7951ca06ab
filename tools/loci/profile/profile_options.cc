#include "tools/loci/profile/profile_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/loci/plugins/plugin_options.h"

namespace loci::runner {
namespace {

constexpr const char* kOptions[] = {"profile", "tracer-option", "sorted-key", "profile-path",
                                    "reporter"};

bool asks_for_profile(const po::variables_map& values) {
  return std::any_of(std::begin(kOptions), std::end(kOptions),
                     [&](const char* option) { return values.count(option) != 0; });
}

// One JSON object is all that may be there.
void refuse_standard_output(const std::vector<std::string>& reporters) {
  for (const std::string& reporter : reporters) {
    if (!profiling::output_of(reporter).empty()) continue;
    throw Failure(
        ExitCode::kUsage,
        fmt::format("[--reporter] '{}' would write to standard output, which --json takes; "
                    "give it a file, NAME=OUT",
                    reporter));
  }
}

ProfilerOptions read_options(const po::variables_map& values, const RunCounts& counts) {
  ProfilerOptions options;
  const auto hand_on = [&](const char* option, auto setter) {
    if (values.count(option) != 0) (options.*setter)(values[option].as<std::string>());
  };
  hand_on("profile", &ProfilerOptions::state);
  hand_on("tracer-option", &ProfilerOptions::tracer_option);
  hand_on("sorted-key", &ProfilerOptions::sorted_key);
  hand_on("profile-path", &ProfilerOptions::profile_path);
  options.schedule({counts.warmup, 0, counts.repeat, 1});
  for (const std::string& reporter : texts(values, "reporter")) options.reporter(reporter);
  // A native file alone is asked for where no report is.
  const bool file_alone = values.count("profile-path") != 0 && values.count("reporter") == 0 &&
                          values.count("profile") == 0;
  if (file_alone) options.no_reporter();
  return options;
}

}  // namespace

void declare_profile_options(po::options_description& options) {
  options.add_options()  //
      ("profile", po::value<std::string>()->value_name("cpu|gpu|all"),
       "record the timed runs, and whose time the classic report shows")  //
      ("tracer-option", po::value<std::string>()->value_name("default|op-detail|all-op-detail"),
       "how much of each operator it shows")  //
      ("sorted-key", po::value<std::string>()->value_name("default|calls|total|max|min|ave"),
       "the order of its rows")  //
      ("profile-path", po::value<std::string>()->value_name("F"),
       "write the native profile, for 'loci profile report' and 'diff'")  //
      ("reporter", po::value<std::vector<std::string>>()->composing()->value_name("NAME[=OUT]"),
       "a report of the profile, in a file or on standard output; 'classic' by default "
       "(repeatable)");
}

std::unique_ptr<Profiler> start_profiling(const po::variables_map& values,
                                          const RunCounts& counts) {
  if (!asks_for_profile(values)) return nullptr;
  return in_phase(Phase::kOptions, [&] {
    const ProfilerOptions options = read_options(values, counts);
    if (values.count("json") != 0) {
      std::vector<std::string> reporters = options.values().reporters;
      if (reporters.empty() && options.values().default_reporter) reporters = {"classic"};
      refuse_standard_output(reporters);
    }
    return std::make_unique<Profiler>(options);
  });
}

void finish_profiling(Profiler* profiler) {
  if (profiler != nullptr) check_reports(profiler->stop());
}

void check_reports(const std::vector<std::string>& failures) {
  if (failures.empty()) return;
  throw Failure(ExitCode::kFailed, failures.front(),
                fmt::format("{}", fmt::join(failures.begin() + 1, failures.end(), "\n")));
}

}  // namespace loci::runner
