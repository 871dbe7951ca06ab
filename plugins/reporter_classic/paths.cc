#include "plugins/reporter_classic/paths.h"

namespace loci::classic {

PathId Paths::intern(PathId parent, Role role, std::string_view name) {
  const auto next = static_cast<PathId>(paths_.size());
  const auto [found, inserted] = ids_.try_emplace({parent, role, std::string(name)}, next);
  if (inserted) paths_.push_back({parent, role, std::string(name)});
  return found->second;
}

std::string Paths::text(PathId id) const {
  std::vector<PathId> scopes;
  for (; id != kNoPath; id = paths_[id].parent) scopes.push_back(id);
  std::string text;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if (!text.empty()) text += '/';
    text += paths_[*scope].name;
  }
  return text;
}

}  // namespace loci::classic
