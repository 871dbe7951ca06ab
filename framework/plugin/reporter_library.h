// "loci.profile.reporter" of a plugin, taken over and checked.
#pragma once

#include <loci/abi/profile_reporter.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/plugin/instance.h"
#include "framework/plugin/manifest.h"

namespace loci::plugin {

// One reporter.
struct Reporter {
  Plugin* plugin = nullptr;
  std::string name;
  std::string description;
  std::string default_output;  // a file name, or empty for standard output
  std::vector<std::string> forms;
  std::uint32_t level = 0;
  loci_reporter_def def{};
};

struct ReporterLibrary {
  std::vector<Reporter> reporters;
};

// Throws LoadError if the plugin has no such table, for a table or definition that is incomplete,
// and for reporters that are not those of the manifest.
std::unique_ptr<ReporterLibrary> take_reporter_library(Instance& instance,
                                                       const Manifest& manifest);

}  // namespace loci::plugin
