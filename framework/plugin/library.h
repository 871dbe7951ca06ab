// The shared library of a plugin, mapped.
#pragma once

#include <loci/abi/plugin.h>

#include <string>
#include <vector>

#include "framework/plugin/manifest.h"

namespace loci::plugin {

// Maps the library with all symbols resolved at once and visible to itself only, for the life of
// the process: threads, callbacks and destructors of the plugin may outlive its use. Throws
// LoadError(kUnavailable) that names a missing dependency and what brings it, or the cause as the
// dynamic linker gives it; kIncompatible if the library does not export the query function.
class Library {
 public:
  Library(const std::string& path, const std::vector<Need>& needs);
  // Returns true if it is mapped already, for an instance in another context; then the constructor
  // takes that mapping, as the dynamic linker would.
  [[nodiscard]] static bool is_mapped(const std::string& path);

  // NULL if the library does not export it.
  [[nodiscard]] loci_plugin_query_fn query_function() const;

 private:
  struct Mapping;
  const Mapping* mapping_;
};

// The soname in a message of the dynamic linker about a library that it did not find; empty if the
// message is about something else or about `path` itself.
std::string missing_dependency(const std::string& message, const std::string& path);

}  // namespace loci::plugin
