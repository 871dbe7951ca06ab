// Calls of a plugin's kernels.
#pragma once

#include <string_view>

#include "framework/plugin/foreign_call.h"
#include "framework/plugin/plugin_manager.h"

namespace loci::dispatch {

// Throws Error with the plugin's id for an exception that it lets out.
template <class Function>
auto call_library(const plugin::KernelLibrary& library, std::string_view name,
                  Function&& function) {
  return plugin::blaming(*library.plugin, [&] { return plugin::call_plugin(name, function); });
}

}  // namespace loci::dispatch
