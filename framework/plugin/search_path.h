// Where plugins are looked for.
#pragma once

#include <loci/plugins.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/plugin/load_error.h"

namespace loci::plugin {

// In the order of the search. Never the working directory: entries that are not absolute are
// refused, those of a caller have been made absolute before.
struct SearchPlaces {
  std::vector<std::string> files;
  std::vector<std::string> directories;
  std::string environment;  // directories with colons between them
  std::string install_directory;
};

// A file to try, or a place that was refused.
struct Found {
  std::string path;
  std::optional<LoadError> refusal;
};

// The files, each once under its real path, those of a directory (*.so) in order of their names.
// A directory that is not there, cannot be read, is not absolute or fails check_plugin_directory()
// is given as refused; only the install directory may be absent.
std::vector<Found> find_candidates(const SearchPlaces& places);

// Describes the candidates by place, for people: an absent install directory is refused, too.
std::vector<plugins::SearchPlace> describe_places(const SearchPlaces& places);

// LOCI_PLUGIN_PATH; empty in a process that has more rights than its user.
std::string environment_plugin_path();

// loci/plugins beside the library that holds this function; ../lib/loci/plugins where it is linked
// into the executable itself. The same in an installation and in a build tree.
std::string install_plugin_directory();

}  // namespace loci::plugin
