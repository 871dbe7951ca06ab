// The end of this process by a plugin's hand.
#pragma once

#include <string>

namespace loci::plugin {

// A process that a plugin has ended gets this status, whatever one the plugin gave: the runner's
// code for a failure while running.
inline constexpr int kPluginExitStatus = 5;

// From now on a call of exit() or quick_exit() in code of the library at `path`, or in what that
// calls, ends the process with that status and a line on standard error that names the plugin `id`.
// Else the application would seem to have ended by itself, with success where the status is 0. For
// each plugin before its library is mapped, and again after: handlers run in reverse order, and so
// this one before those of the library. What a plugin costs while it is called does not change:
// whose call it was is read from the stack. _exit() cannot be seen.
void watch_exits(const std::string& id, const std::string& path);

// Acts like the handler, for other code that runs at exit and would wait for work that the plugin
// was in the middle of. Once in a process, before any other.
void end_if_a_plugin_exits() noexcept;

}  // namespace loci::plugin
