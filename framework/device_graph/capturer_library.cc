#include "framework/device_graph/capturer_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string_view>

#include "framework/plugin/interfaces.h"
#include "framework/plugin/load_error.h"
#include "framework/plugin/negotiation.h"
#include "framework/plugin/stated_text.h"

namespace loci::plugin {
namespace {

constexpr std::string_view kCaptureName = LOCI_CAPTURE_INTERFACE;

void require_functions(const loci_capture_api& api) {
  const auto require = [](bool present, std::string_view member) {
    if (!present) refuse_to_author(fmt::format("its {} lacks {}", kCaptureName, member));
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

std::shared_ptr<const device_graph::CapturerLibrary> take_capturer(Instance& instance,
                                                                   const Manifest& manifest) {
  const void* table = instance.interface(kCaptureName, LOCI_CAPTURE_MINOR);
  if (table == nullptr) {
    refuse_to_author(fmt::format("it calls itself a capturer and has no {}", kCaptureName));
  }
  auto library = std::make_shared<device_graph::CapturerLibrary>();
  library->plugin = &instance;
  library->api = copy_table<loci_capture_api>(table, kCaptureName);
  require_functions(library->api);
  library->device_type =
      stated_text(library->api.device_type, fmt::format("{}'s device type", kCaptureName));
  if (manifest.has_device_type(library->device_type)) return library;
  refuse_to_author(fmt::format("its {} is for the device type '{}', and its manifest has '{}'",
                               kCaptureName, library->device_type,
                               fmt::join(manifest.device_types, "', '")));
}

}  // namespace loci::plugin
