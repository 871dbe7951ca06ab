// Calls of a plugin's kernels.
#pragma once

#include <string_view>

#include "framework/device/backend.h"
#include "framework/plugin/foreign_call.h"

namespace loci::dispatch {

// Throws Error with the plugin's id for an exception that it lets out.
template <class Function>
auto call_library(const device::KernelLibrary& library, std::string_view name,
                  Function&& function) {
  return plugin::blaming(*library.plugin, [&] { return plugin::call_plugin(name, function); });
}

}  // namespace loci::dispatch
