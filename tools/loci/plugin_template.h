// The files that a new plugin begins with.
#pragma once

#include <map>
#include <string>

namespace loci::runner {

// Contents by the name of the file, of a plugin that builds and runs as it is: a device in host
// memory with one kernel. `name` is a lower-case word. Throws Failure(kUsage) for a name that is
// none and for a kind without a template.
std::map<std::string, std::string> plugin_template(const std::string& name,
                                                   const std::string& kind);

}  // namespace loci::runner
