// Which plugin's code a signal has interrupted, where no call says so: kernels, and threads of a
// plugin's own.
#pragma once

#include <string_view>

namespace loci::runner {

// Loads what find_plugin_frame() needs, so that a handler of signals may call that.
void prepare_plugin_frame();

// In a handler of a signal: the file name of the plugin in which the interrupted function is, or
// from which it was called through libraries that are not Loci's own; empty if there is none. Does
// not allocate.
std::string_view find_plugin_frame();

}  // namespace loci::runner
