// The files that a new plugin begins with: plugins/template or plugins/template_<kind> under a
// name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loci::runner {

// "backend", "capturer", "op" and "reporter".
std::vector<std::string> template_kinds();

// Says if a launch does its work or enqueues it into a stream.
enum class Work : std::uint8_t { kInline, kQueued };

// Contents by the name of the file, of a plugin that builds, passes its test and runs as it is.
// `name`, a lower-case word, becomes its CMake project, namespace, classes and id
// "org.example.<name>", and the device type, the namespace of the op or the reporter. A capturer is
// called "<name>_graph", and `name` is the device type that it captures. Throws
// Failure(kUsage) for a name that is none or Loci's own, for a kind without a template, and for
// queued work of what is no backend.
std::map<std::string, std::string> plugin_template(const std::string& name, const std::string& kind,
                                                   Work work = Work::kInline);

}  // namespace loci::runner
