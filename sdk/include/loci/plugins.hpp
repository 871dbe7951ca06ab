// Plugins and the devices that they bring.
#pragma once

#include <loci/export.hpp>
#include <string>
#include <vector>

namespace loci {
inline namespace v0 {
namespace plugins {

// Where to look, and what to leave out. Explicit files come first, then directories, then
// LOCI_PLUGIN_PATH, then the install directory; never the working directory.
struct SearchOptions {
  std::vector<std::string> files;
  std::vector<std::string> directories;
  std::vector<std::string> disabled_ids;
};

// How far a candidate came. A failure keeps the stage that it reached.
enum class Stage {
  kDiscovered,
  kManifestOk,
  kMapped,
  kQueried,
  kNegotiated,
  kCreated,
  kActive,
};
LOCI_PUBLIC std::string stage_name(Stage stage);  // "MANIFEST_OK"

struct Candidate {
  std::string path;
  std::string id;  // empty until the manifest was read
  std::string version;
  std::vector<std::string> kinds;
  std::vector<std::string> device_types;
  Stage stage = Stage::kDiscovered;
  bool failed = false;
  std::string cause;   // one line, empty unless failed
  std::string remedy;  // what to do about it
  bool disabled = false;
  std::string unavailable;  // of an active backend: why this machine has none of its devices
};

// Sets the search options; throws Error(kInvalidArgument) once a plugin is in use. An explicit file
// or directory that is not there is Error(kNotFound), and nothing changes.
LOCI_PUBLIC void configure(const SearchOptions& options);
// Every candidate, in search order; discovers on the first call. `activate` maps and starts all.
LOCI_PUBLIC std::vector<Candidate> report(bool activate = false);
// One file, read and reported without being mapped. Throws Error(kNotFound) if it is not there.
LOCI_PUBLIC Candidate inspect(const std::string& path);

}  // namespace plugins
}  // namespace v0
}  // namespace loci
