// "loci.capture" of one plugin, negotiated: members that an older plugin lacks are NULL.
#pragma once

#include <loci/abi/capture.h>

#include <string>

#include "framework/plugin/plugin.h"

namespace loci::device_graph {

// Valid as long as the plugin's manager, which found it by plugin::take_capturer().
struct CapturerLibrary {
  plugin::Plugin* plugin = nullptr;
  loci_capture_api api{};
  std::string device_type;
};

}  // namespace loci::device_graph
