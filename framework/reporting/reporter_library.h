// The reporters of "loci.profile.reporter", taken over and checked.
#pragma once

#include <loci/abi/profile_reporter.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/plugin/interface_kind.h"
#include "framework/plugin/plugin_manager.h"

namespace loci::reporting {

struct Reporter {
  plugin::Plugin* plugin = nullptr;
  std::string name;
  std::string description;
  std::string default_output;  // a file name, or empty for standard output
  std::vector<std::string> forms;
  std::uint32_t level = 0;
  loci_reporter_def def{};
};

// A plugin brings these reporters.
struct ReporterLibrary final : plugin::Contribution {
  std::vector<Reporter> reporters;
};

extern const plugin::Kind<ReporterLibrary> kReporterKind;

// Throws LoadError if the plugin has no such table, for a table or definition that is incomplete,
// and for reporters that are not those of the manifest.
ReporterLibrary take_reporters(plugin::Instance& instance, const plugin::Manifest& manifest);

// The first in search order; activates the plugins that declare the name. Null if none brings it.
// Valid as long as the manager.
const Reporter* find_reporter(plugin::PluginManager& plugins, std::string_view name);

}  // namespace loci::reporting
