#include "framework/plugin/op_owners.h"

#include <fmt/format.h>

#include "framework/plugin/load_error.h"

namespace loci::plugin {

void OpOwners::claim(const OpLibrary& library) {
  for (const std::string& op : library.names) {
    const auto owner = plugins_.find(op);
    if (owner == plugins_.end() || owner->second == library.plugin->id()) continue;
    throw LoadError(ErrorCode::kIncompatible,
                    fmt::format("its op '{}' is taken: the plugin {} brought one of that name", op,
                                owner->second),
                    "leave one of the two plugins out by its id");
  }
  for (const std::string& op : library.names) plugins_.emplace(op, library.plugin->id());
}

}  // namespace loci::plugin
