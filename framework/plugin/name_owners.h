// Who brought what may be brought once.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/plugin/interface_kind.h"

namespace loci::plugin {

// Who brought each name of the kinds whose names are unique. Not thread-safe.
class NameOwners {
 public:
  // Throws LoadError(kIncompatible), and notes nothing, if another plugin brought one of them.
  // Again for the same plugin where an earlier call ran out of memory.
  void claim(const InterfaceKind& kind, const std::vector<std::string>& names,
             const std::string& plugin_id);

 private:
  std::map<std::pair<std::string_view, std::string>, std::string> plugins_;  // by kind and name
};

}  // namespace loci::plugin
