#include <loci/plugins.hpp>

#include "framework/core/raise.h"
#include "framework/plugin/load_error.h"
#include "framework/plugin/loader.h"
#include "framework/plugin/plugin_manager.h"
#include "framework/plugin/search_path.h"

namespace loci {
inline namespace v0 {
namespace plugins {

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
  plugin::SearchPlaces places;
  places.files.push_back(path);
  const std::vector<plugin::Found> found = plugin::find_candidates(places);
  if (found.front().refusal) {
    core::raise(ErrorCode::kNotFound, "[plugin] '{}': {}; {}", path, found.front().refusal->cause(),
                found.front().refusal->remedy());
  }
  plugin::Record record;
  record.report.path = found.front().path;
  record.quiet = true;
  plugin::examine(record);
  return record.report;
}

}  // namespace plugins
}  // namespace v0
}  // namespace loci
