// Plugins and the devices that they bring.
#pragma once

#include <cstdint>
#include <functional>
#include <loci/export.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loci {
inline namespace v0 {
namespace plugins {

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
  std::int32_t score = 0;   // of an active backend: what its probe gave
  std::string build_id;     // hexadecimal; of a file with a manifest, unless it was linked without
};

// Why a plugin may not be used. Both are one line.
struct Refusal {
  std::string cause;
  std::string remedy;
};
// Asked about a candidate before its library is mapped, which a refusal prevents. May call nothing
// of this namespace.
using LoadCheck = std::function<std::optional<Refusal>(const Candidate&)>;

// Where to look, and what to leave out. Explicit files come first, then directories, then
// LOCI_PLUGIN_PATH, then the install directory; never the working directory.
struct SearchOptions {
  std::vector<std::string> files;
  std::vector<std::string> directories;
  std::vector<std::string> disabled_ids;
  LoadCheck check;  // none: every library that is needed is mapped
};

// A place that was searched, and what it gave.
struct SearchPlace {
  std::string path;
  std::string origin;              // "file", "directory", "LOCI_PLUGIN_PATH" or "installation"
  std::vector<std::string> files;  // candidates, without those that an earlier place gave
  std::optional<Refusal> refusal;  // of the place as a whole
};

// Sets the search options; throws Error(kInvalidArgument) once a plugin is in use. An explicit file
// or directory that is not there is Error(kNotFound), and nothing changes.
LOCI_PUBLIC void configure(const SearchOptions& options);
// Every candidate, in search order; discovers on the first call. `activate` maps and starts all.
LOCI_PUBLIC std::vector<Candidate> report(bool activate = false);
// One file, read and reported without being mapped. Throws Error(kNotFound) if it is not there.
LOCI_PUBLIC Candidate inspect(const std::string& path);
// The places of the search, in order, as they are now.
LOCI_PUBLIC std::vector<SearchPlace> search_places();

// One file, taken through everything that discovery calls, down to destroy, for a process that can
// be lost: a library that crashes, hangs or exits does so here. `step` is told the name of each
// function ("create", "probe") before it is called, and "load" before the library is mapped.
// Devices are counted and described, and the first 16 opened and closed again. Throws
// Error(kNotFound) if there is no such file.
LOCI_PUBLIC Candidate try_out(const std::string& path,
                              const std::function<void(std::string_view)>& step);

// Told before a thread calls a function of a plugin while it loads, opens or prepares: the plugin's
// id and the function's name, "load" before the library is mapped; and with both empty once the
// plugin is left again. On the thread that calls, which may be any; not for launches and copies.
// May call nothing of Loci. For a program that shall say which plugin it was lost to.
using CallNotice = void (*)(std::string_view plugin, std::string_view function);
// One notice in the process; nullptr ends it. Before the first plugin is used.
LOCI_PUBLIC void watch_calls(CallNotice notice);

}  // namespace plugins
}  // namespace v0
}  // namespace loci
