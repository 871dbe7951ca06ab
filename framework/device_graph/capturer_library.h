// "loci.capture" of one plugin, negotiated: members that an older plugin lacks are NULL.
#pragma once

#include <loci/abi/capture.h>

#include <string>

#include "framework/plugin/interface_kind.h"

namespace loci::device_graph {

struct CapturerLibrary final : plugin::Contribution {
  plugin::Plugin* plugin = nullptr;
  loci_capture_api api{};
  std::string device_type;
};

extern const plugin::Kind<CapturerLibrary> kCaptureKind;

// Throws LoadError if the plugin has no such table, or for one that is incomplete or not of the
// manifest's device type.
CapturerLibrary take_capturer(plugin::Instance& instance, const plugin::Manifest& manifest);

}  // namespace loci::device_graph
