#include "framework/device_graph/capturer_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "framework/plugin/interface_table.h"
#include "framework/plugin/stated_text.h"

namespace loci::device_graph {
namespace {

constexpr plugin::Interface kCapture{LOCI_CAPTURE_INTERFACE, LOCI_CAPTURE_MINOR};

void require_functions(const loci_capture_api& api) {
  const auto require = [](bool present, std::string_view member) {
    plugin::require_member(present, kCapture, member);
  };
  require(api.open != nullptr, "open");
  require(api.close != nullptr, "close");
  require(api.begin != nullptr, "begin");
  require(api.annotate != nullptr, "annotate");
  require(api.end != nullptr, "end");
  require(api.abort != nullptr, "abort");
  require(api.status != nullptr, "status");
  require(api.stats != nullptr, "stats");
  require(api.dump != nullptr, "dump");
  require(api.destroy_graph != nullptr, "destroy_graph");
  require(api.instantiate != nullptr, "instantiate");
  require(api.launch != nullptr, "launch");
  require(api.patch != nullptr, "patch");
  require(api.update != nullptr, "update");
  require(api.destroy_exec != nullptr, "destroy_exec");
}

}  // namespace

constinit const plugin::Kind<CapturerLibrary> kCaptureKind{
    {.name = "capture",
     .take = &plugin::take_as<&take_capturer>,
     .declares = &plugin::kDeviceTypes,
     .bearer = "a plugin of the kind 'capture'",
     .sole = "captures the streams of"}};

CapturerLibrary take_capturer(plugin::Instance& instance, const plugin::Manifest& manifest) {
  CapturerLibrary library;
  library.plugin = &instance;
  library.api = plugin::require_table<loci_capture_api>(instance, kCapture,
                                                        "it calls itself a capturer and has no");
  require_functions(library.api);
  library.device_type =
      plugin::stated_text(library.api.device_type, fmt::format("{}'s device type", kCapture.name));
  if (manifest.has_device_type(library.device_type)) return library;
  plugin::refuse_to_author(
      fmt::format("its {} is for the device type '{}', and its manifest has '{}'", kCapture.name,
                  library.device_type, fmt::join(manifest.device_types(), "', '")));
}

}  // namespace loci::device_graph
