#include "plugin.h"

#include <loci/plugin/plugin.hpp>

#include "capturer.h"
#include "device.h"
#include "tests/tools/conformance/faulty_plugin/fault.h"

namespace loci::faulty {
namespace {

loci_capture_api capture_api() {
  loci_capture_api api = *sdk::capturer_table<FaultyCapturerPlugin, FaultyCapturer>();
  if (has("captures_other_type")) api.device_type = sdk::to_abi("other");
  if (has("lacks_update")) api.update = nullptr;
  if (has("lacks_loop_end")) api.loop_end = nullptr;
  if (has("lacks_branch_else")) api.branch_else = nullptr;
  return api;
}

}  // namespace

const void* FaultyCapturerPlugin::interface(std::string_view name) {
  static const loci_capture_api kCapture = capture_api();
  if (name == LOCI_DEVICE_INTERFACE) {
    return sdk::device_table<FaultyCapturerPlugin, CapturingDevice>();
  }
  if (name == LOCI_KERNELS_INTERFACE) return sdk::kernels_table<FaultyCapturerPlugin>();
  if (name == LOCI_PROFILE_SOURCE_INTERFACE) {
    return sdk::profile_source_table<FaultyCapturerPlugin>();
  }
  return name == LOCI_CAPTURE_INTERFACE ? &kCapture : nullptr;
}

}  // namespace loci::faulty

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::faulty::FaultyCapturerPlugin>(host);
}
