#include "framework/plugin/name_owners.h"

#include <fmt/format.h>

#include "framework/plugin/load_error.h"

namespace loci::plugin {

void NameOwners::claim(const InterfaceKind& kind, const std::vector<std::string>& names,
                       const std::string& plugin_id) {
  for (const std::string& name : names) {
    const auto owner = plugins_.find({kind.name, name});
    if (owner == plugins_.end() || owner->second == plugin_id) continue;
    throw LoadError(ErrorCode::kIncompatible,
                    fmt::format("its {} '{}' is taken: the plugin {} brought one of that name",
                                kind.unique, name, owner->second),
                    "leave one of the two plugins out by its id");
  }
  for (const std::string& name : names) plugins_.try_emplace({kind.name, name}, plugin_id);
}

}  // namespace loci::plugin
