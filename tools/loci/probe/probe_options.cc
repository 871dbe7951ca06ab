#include "tools/loci/probe/probe_options.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

namespace loci::runner {
namespace {

// Other values have been refused, or are ignored.
bool environment_asks() {
  const char* value = std::getenv(kProbeVariable);
  return value != nullptr && std::strcmp(value, "1") == 0;
}

void refuse_useless(const po::variables_map& values, Probing probing) {
  for (const std::string option : {"probe-timeout", "no-probe-cache"}) {
    const bool has_use = probing == Probing::kBesides && option == "probe-timeout";
    if (values.count(option) == 0 || has_use) continue;
    throw Failure(ExitCode::kUsage, fmt::format("[--{}] needs --probe", option));
  }
}

}  // namespace

std::chrono::milliseconds read_probe_limit(const po::variables_map& values) {
  constexpr double kLeast = 0.001;
  constexpr double kMost = 3600;
  const double seconds = values["probe-timeout"].as<double>();
  if (!(seconds >= kLeast && seconds <= kMost)) {
    throw Failure(ExitCode::kUsage, fmt::format("[--probe-timeout] {} is not in [{}, {}] seconds",
                                                seconds, kLeast, kMost));
  }
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

void declare_probe_options(po::options_description& options) {
  options.add_options()  //
      ("probe",
       "load each plugin in a child process first, and leave out one that crashes or hangs there "
       "(also LOCI_PLUGIN_PROBE=1)")  //
      ("probe-timeout", po::value<double>()->value_name("SECONDS"),
       "what such a child may take, 5 unless told; for 'devices' and 'plugins doctor' what a "
       "function of a plugin may take, 30 unless told")  //
      ("no-probe-cache", "probe anew what an earlier run has probed");
}

std::shared_ptr<PluginProber> make_prober(const po::variables_map& values, Probing probing) {
  const bool anew = probing == Probing::kAnew;
  if (!anew && values.count("probe") == 0 && !environment_asks()) {
    refuse_useless(values, probing);
    return nullptr;
  }
  ProbeOptions options;
  if (probing != Probing::kAsAsked) options.limit = kDeviceLimit;
  if (values.count("probe-timeout") != 0) options.limit = read_probe_limit(values);
  options.use_kept = !anew && values.count("no-probe-cache") == 0;
  return std::make_shared<PluginProber>(options);
}

}  // namespace loci::runner
