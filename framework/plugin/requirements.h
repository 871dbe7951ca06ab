// The demands of a plugin on the machine and the process, checked before its library is mapped.
#pragma once

#include <string>

#include "framework/plugin/manifest.h"

namespace loci::plugin {

// Throws LoadError(kUnavailable) for a CPU feature that this processor or operating system lacks or
// whose name is not known.
void check_isa(const Manifest& manifest);

// Throws LoadError(kIncompatible) for a plugin built with a sanitizer that this process runs
// without: its runtime would end the process.
void check_sanitizer(const Manifest& manifest);

// none, address or thread.
std::string host_sanitizer();

}  // namespace loci::plugin
