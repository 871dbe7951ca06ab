// Watches every launch that the core makes of a plugin's kernels, for what a launch must not do:
//  - take memory of the host table, or of the device;
//  - read the configuration, or the description of the operator, which create and prepare lend;
//  - wait for the stream that it launches into.
// And each kernel's life, for what create and prepare leave behind.
//
// It stands between the core and the plugin (framework/plugin/interposition.h). Of a process there
// is one plugin under watch.
#pragma once

#include <string>
#include <vector>

namespace loci::verify {

// Before the core loads the plugin.
void watch_launches(const std::string& path);

// Returns what was found since the last call, a sentence each; no finding is told twice.
std::vector<std::string> take_findings();

// Returns the aliases of that op's kernels tried on large arguments, "add (plain): 0 in 1".
std::vector<std::string> aliases_tried(const std::string& op);

}  // namespace loci::verify
