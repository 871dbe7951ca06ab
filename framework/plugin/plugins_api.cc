#include <loci/plugins.hpp>

#include "framework/core/environment.h"
#include "framework/core/raise.h"
#include "framework/plugin/load_error.h"
#include "framework/plugin/loader.h"
#include "framework/plugin/plugin_manager.h"
#include "framework/plugin/search_path.h"
#include "framework/plugin/trial.h"

namespace loci {
inline namespace v0 {
namespace plugins {
namespace {

// Throws Error(kNotFound) if it is not there.
void examine_file(const std::string& path, plugin::Record& record) {
  plugin::SearchPlaces places;
  places.files.push_back(path);
  const std::vector<plugin::Found> found = plugin::find_candidates(places);
  if (found.front().refusal) {
    core::raise(ErrorCode::kNotFound, "[plugin] '{}': {}; {}", path, found.front().refusal->cause(),
                found.front().refusal->remedy());
  }
  record.report.path = found.front().path;
  record.quiet = true;
  plugin::examine(record);
}

}  // namespace

std::string stage_name(Stage stage) {
  switch (stage) {
    case Stage::kDiscovered: return "DISCOVERED";
    case Stage::kManifestOk: return "MANIFEST_OK";
    case Stage::kMapped: return "MAPPED";
    case Stage::kQueried: return "QUERIED";
    case Stage::kNegotiated: return "NEGOTIATED";
    case Stage::kCreated: return "CREATED";
    case Stage::kActive: return "ACTIVE";
  }
  return "UNKNOWN";
}

void configure(const SearchOptions& options) {
  plugin::PluginManager::instance().configure(options);
}

std::vector<Candidate> report(bool activate) {
  return plugin::PluginManager::instance().report(activate);
}

Candidate inspect(const std::string& path) {
  plugin::Record record;
  examine_file(path, record);
  return record.report;
}

std::vector<SearchPlace> search_places() {
  return plugin::PluginManager::instance().search_places();
}

Candidate try_out(const std::string& path, const std::function<void(std::string_view)>& step) {
  core::check_environment();
  plugin::Record record;
  examine_file(path, record);
  plugin::try_out(record, step);
  return record.report;
}

}  // namespace plugins
}  // namespace v0
}  // namespace loci
