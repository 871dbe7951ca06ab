// One reporter of "loci.profile.reporter", taken over and checked.
#pragma once

#include <loci/abi/profile_reporter.h>

#include <cstdint>
#include <string>
#include <vector>

#include "framework/plugin/plugin.h"

namespace loci::reporting {

// Valid as long as the plugin's manager, which found it by plugin::take_reporters().
struct Reporter {
  plugin::Plugin* plugin = nullptr;
  std::string name;
  std::string description;
  std::string default_output;  // a file name, or empty for standard output
  std::vector<std::string> forms;
  std::uint32_t level = 0;
  loci_reporter_def def{};
};

}  // namespace loci::reporting
