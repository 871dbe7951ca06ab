// Functions of a library that a plugin needs, which the process has from another library.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/plugin/manifest.h"

namespace loci::plugin {

struct RivalSymbol {
  std::string name;
  std::string library;  // its soname, or the path of what has none; empty: the program itself
};

// The first of the symbols named in `needs` that the dynamic linker would take from elsewhere, as
// it looks at what the program is linked with before the plugin and its libraries. What those were
// mapped for before is not seen.
std::optional<RivalSymbol> find_rival(const std::vector<Need>& needs);

}  // namespace loci::plugin
