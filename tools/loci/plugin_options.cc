#include "tools/loci/plugin_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <loci/plugins.hpp>

namespace loci::runner {
namespace {

[[noreturn]] void refuse(const std::string& file, const plugins::Candidate& candidate) {
  throw Failure(ExitCode::kNotAvailable,
                fmt::format("[--plugin] '{}' cannot be loaded: {}", file, candidate.cause),
                candidate.remedy);
}

// A file that the user named must not drop out in silence because another plugin can do the work.
// Each is inspected first, because the search logs its failures and the error shall come alone.
void check_named(const plugins::SearchOptions& search) {
  const std::vector<std::string>& disabled = search.disabled_ids;
  for (const std::string& file : search.files) {
    const plugins::Candidate candidate = plugins::inspect(file);
    const bool wanted = std::find(disabled.begin(), disabled.end(), candidate.id) == disabled.end();
    if (candidate.failed && wanted) refuse(file, candidate);
  }
  if (search.files.empty()) return;
  for (const plugins::Candidate& candidate : plugins::report()) {
    if (!candidate.failed || candidate.disabled) continue;
    for (const std::string& file : search.files) {
      std::error_code error;
      if (std::filesystem::equivalent(file, candidate.path, error)) refuse(file, candidate);
    }
  }
}

}  // namespace

void declare_plugin_options(po::options_description& options) {
  const auto list = [](const char* value_name) {
    return po::value<std::vector<std::string>>()->composing()->value_name(value_name);
  };
  options.add_options()                                                                     //
      ("plugin-path", list("DIR"), "search this directory for plugins first (repeatable)")  //
      ("plugin", list("FILE"), "use this plugin, before any other (repeatable)")            //
      ("no-plugin", list("ID"), "leave out the plugin with this id (repeatable)");
}

void apply_plugin_options(const po::variables_map& values) {
  plugins::SearchOptions search;
  search.files = texts(values, "plugin");
  search.directories = texts(values, "plugin-path");
  search.disabled_ids = texts(values, "no-plugin");
  in_phase(Phase::kDevices, [&] {
    plugins::configure(search);
    check_named(search);
  });
}

std::vector<std::string> texts(const po::variables_map& values, const std::string& option) {
  return values.count(option) == 0 ? std::vector<std::string>()
                                   : values[option].as<std::vector<std::string>>();
}

}  // namespace loci::runner
